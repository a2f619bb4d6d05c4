// The provider dies at every step of create, update and delete, once for each way to know an object again; and the next process
// finishes what it began: nothing is left behind in the cloud, nothing is there twice, and nobody has to help.
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/crash_point.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/lab/lab.h"

namespace kupen::test {
namespace {

// A minute of it is the pause between the two looks for what a create without an answer may have made.
constexpr int kOldMtu = 1400;
constexpr int kLives = 4;
constexpr absl::Duration kLimit = absl::Minutes(4);

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

// One object for each way to die.
struct Case {
  const Sort* sort;
  std::string name;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const absl::string_view point : kCrashPoints) {
    for (const Sort& sort : kSorts) {
      if (Reaches(sort, point)) cases.push_back({&sort, absl::StrCat(point, "-", sort.name)});
    }
  }
  return cases;
}

std::string Manifests(const std::vector<Case>& cases, bool changed) {
  std::string manifests;
  for (const auto& [sort, name] : cases) {
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

// Runs the objects through their lives, and through their deaths on the way.
void LiveAndDie(Lab& lab, const std::vector<Case>& cases) {
  const int objects = static_cast<int>(cases.size());
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> before, lab.CloudObjects());
  std::multiset<std::string> with_ours = before;
  for (const Case& one : cases) with_ours.insert(one.name);

  ASSERT_OK(lab.Apply(Manifests(cases, false)));
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllReady(objects); }));
  EXPECT_EQ(lab.CloudObjects().value_or(before), with_ours);

  ASSERT_OK(lab.Apply(Manifests(cases, true)));
  const auto changed_and_ready = [&]() -> absl::Status {
    RETURN_IF_ERROR(AllChanged(lab));
    return lab.AllReady(objects);
  };
  ASSERT_OK(lab.RunUntil(kLimit, changed_and_ready));
  EXPECT_EQ(lab.CloudObjects().value_or(before), with_ours);

  ASSERT_OK(lab.Run({"delete", "managed", "--all", "--wait=false"}).status());
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllGone(); }));
  EXPECT_EQ(lab.CloudObjects().value_or(with_ours), before);
}

TEST(Crash, EveryStepOfEverySortLeaksNothingAndDoublesNothing) {
  Lab lab;
  ASSERT_OK(lab.status());
  const std::filesystem::path deaths = absl::StrCat(testing::TempDir(), "deaths");
  std::filesystem::create_directory(deaths);
  lab.environment()["KUPENSTACK_CRASHES"] = deaths;

  // One that another's death carries past its own point gets another life.
  std::vector<Case> cases = Cases();
  for (int life = 1; life <= kLives && !cases.empty(); ++life) {
    LiveAndDie(lab, cases);
    if (HasFailure()) return;
    std::erase_if(cases, [&](const Case& one) { return std::filesystem::exists(deaths / one.name); });
  }
  for (const Case& one : cases) ADD_FAILURE() << one.name << " never came to its point";
  RecordProperty("deaths", lab.deaths());
}

}  // namespace
}  // namespace kupen::test
