#include "test/lab/lives.h"

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "provider/base/crash_point.h"
#include "provider/base/status.h"
#include "provider/json/json.h"

namespace kupen::test {

// A kind, and how its objects are known again: by a marker in a text, a marker in a tag, an id of our choice, a name.
struct Sort {
  const char* name;
  const char* kind;
  const char* api_version;
  // As a flow mapping, before and after the update.
  const char* parameters;
  const char* changed;
  bool has_marker;
};

namespace {

constexpr int kOldMtu = 1400;

constexpr Sort kSorts[] = {
    {"network", "Network", "network.m.kupenstack.io/v1alpha1", "{mtu: 1400}", "{mtu: 1300}", true},
    {"machine", "VirtualMachine", "compute.m.kupenstack.io/v1alpha1",
     "{flavorName: m1.tiny, imageName: cirros, networks: [{networkName: public}], metadata: {role: web}}",
     "{flavorName: m1.tiny, imageName: cirros, networks: [{networkName: public}], metadata: {role: db}}", true},
    {"flavor", "Flavor", "compute.m.kupenstack.io/v1alpha1", "{vcpus: 1, ram: 512, disk: 1, extraSpecs: {a: b}}",
     "{vcpus: 1, ram: 512, disk: 1, extraSpecs: {a: c}}", false},
    {"key", "KeyPair", "compute.m.kupenstack.io/v1alpha1",
     "{publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7yHAPMVqnE6XoIHBTB1KLeSYBnJqZ6mYG8bwlEyJxn}", nullptr, false},
};

// Whether objects of the sort come to the point.
bool Reaches(const Sort& sort, absl::string_view point) {
  if (point == "found" || point == "create-recorded") return sort.has_marker;
  if (absl::StartsWith(point, "update-")) return sort.changed != nullptr;
  return true;
}

}  // namespace

std::vector<Life> Lives() {
  std::vector<Life> lives;
  for (const absl::string_view point : kCrashPoints) {
    for (const Sort& sort : kSorts) {
      if (Reaches(sort, point)) lives.push_back({&sort, absl::StrCat(point, "-", sort.name)});
    }
  }
  return lives;
}

namespace {

std::string Manifests(const std::vector<Life>& lives, bool changed) {
  std::string manifests;
  for (const auto& [sort, name] : lives) {
    const char* parameters = changed && sort->changed != nullptr ? sort->changed : sort->parameters;
    absl::StrAppend(&manifests, "apiVersion: ", sort->api_version, "\nkind: ", sort->kind, "\nmetadata: {name: ", name,
                    ", namespace: $NS}\nspec: {$CONFIG, forProvider: ", parameters, "}\n---\n");
  }
  return manifests;
}

// The update has reached every network of ours.
absl::Status AllChanged(Lab& lab) {
  int old = 0;
  lab.cloud().ForEachObject("network/networks", [&](const rapidjson::Value& network) {
    const rapidjson::Value* mtu = json::Find(network, {"mtu"});
    old += mtu != nullptr && mtu->IsInt() && mtu->GetInt() == kOldMtu ? 1 : 0;
  });
  return old == 0 ? absl::OkStatus() : absl::UnavailableError(absl::StrCat(old, " networks have not changed"));
}

}  // namespace

void LiveAll(Lab& lab, const std::vector<Life>& lives, absl::Duration limit) {
  const int objects = static_cast<int>(lives.size());
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> before, lab.CloudObjects());
  std::multiset<std::string> with_ours = before;
  for (const Life& one : lives) with_ours.insert(one.name);

  ASSERT_OK(lab.Apply(Manifests(lives, false)));
  ASSERT_OK(lab.RunUntil(limit, [&] { return lab.AllReady(objects); }));
  EXPECT_EQ(lab.CloudObjects().value_or(before), with_ours);

  ASSERT_OK(lab.Apply(Manifests(lives, true)));
  const auto changed_and_ready = [&]() -> absl::Status {
    RETURN_IF_ERROR(AllChanged(lab));
    return lab.AllReady(objects);
  };
  ASSERT_OK(lab.RunUntil(limit, changed_and_ready));
  EXPECT_EQ(lab.CloudObjects().value_or(before), with_ours);

  ASSERT_OK(lab.Run({"delete", "managed", "--all", "--wait=false"}).status());
  ASSERT_OK(lab.RunUntil(limit, [&] { return lab.AllGone(); }));
  EXPECT_EQ(lab.CloudObjects().value_or(with_ours), before);
}

}  // namespace kupen::test
