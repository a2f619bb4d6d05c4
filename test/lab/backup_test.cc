// Kubernetes is restored from a backup: each object has what was its own again, and nothing is made a second time.
#include <filesystem>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "test/lab/control_plane.h"
#include "test/lab/four_kinds.h"
#include "test/lab/lab.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

constexpr absl::Duration kLimit = absl::Minutes(2);

// As they are in a backup, to be made again.
std::string ForRestore(const std::string& list_of_objects) {
  absl::StatusOr<rapidjson::Document> list = json::Parse(list_of_objects);
  for (rapidjson::Value& object : (*list)["items"].GetArray()) {
    for (const char* member : {"uid", "resourceVersion", "deletionTimestamp", "generation", "creationTimestamp"}) {
      object["metadata"].RemoveMember(member);
    }
    object.RemoveMember("status");
  }
  return json::Write(*list);
}

// Since the requests were counted from nothing.
void ExpectNothingMade(Lab& lab) {
  for (const RequestCount& count : lab.cloud().Requests()) {
    if (count.method == "POST" && !absl::EndsWith(count.path, "/auth/tokens"))
      ADD_FAILURE() << count.path << " was asked to make more";
  }
}

// The objects come back with other UIDs, and only their annotations say what they were.
TEST(Backup, ObjectsThatAreAppliedAgainTakeTheirOwnBack) {
  Lab lab;
  ASSERT_OK(lab.status());
  ASSERT_OK(lab.Apply(kFourKinds));
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllReady(kFourObjects); }));
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> with_ours, lab.CloudObjects());
  ASSERT_OK_AND_ASSIGN(const std::string backup, lab.Run({"get", "managed", "--output=json"}));

  // While no provider looks: lost, and restored.
  ASSERT_OK(lab.Run({"delete", "managed", "--all", "--wait=false"}).status());
  for (const char* object : {"network.network.m.kupenstack.io/net", "flavor.compute.m.kupenstack.io/size",
                             "keypair.compute.m.kupenstack.io/key", "virtualmachine.compute.m.kupenstack.io/machine"}) {
    ASSERT_OK(lab.Run({"patch", object, "--type=merge", R"(--patch={"metadata":{"finalizers":null}})"}).status());
  }
  ASSERT_OK(lab.AllGone());
  lab.cloud().ResetRequests();
  ASSERT_OK(Apply(ForRestore(backup)));
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllReady(kFourObjects); }));
  EXPECT_EQ(lab.CloudObjects().value_or(std::multiset<std::string>()), with_ours);
  ExpectNothingMade(lab);
}

constexpr char kLater[] = R"(
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: later, namespace: $NS}
spec: {$CONFIG, forProvider: {mtu: 1200}}
)";

// What was changed since the snapshot is changed back, what was deleted is made again, and what was made since is taken back by
// who has its external-name.
TEST(Backup, EtcdIsRestoredFromASnapshot) {
  Lab lab;
  ASSERT_OK(lab.status());
  ASSERT_OK(lab.Apply(kFourKinds));
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllReady(kFourObjects); }));
  ASSERT_OK_AND_ASSIGN(std::multiset<std::string> expected, lab.CloudObjects());
  const std::filesystem::path snapshot = absl::StrCat(testing::TempDir(), lab.ns(), "-etcd");
  ASSERT_OK(StopControlPlane());
  std::filesystem::copy(EtcdDirectory(), snapshot, std::filesystem::copy_options::recursive);
  ASSERT_OK(StartControlPlane());

  ASSERT_OK(lab.Apply(absl::StrCat(absl::StrReplaceAll(kFourKinds, {{"mtu: 1400", "mtu: 1300"}}), "---", kLater)));
  ASSERT_OK(lab.Run({"delete", "keypair.compute.m.kupenstack.io/key", "--wait=false"}).status());
  ASSERT_OK(lab.RunUntil(kLimit, [&]() -> absl::Status {
    if (CountMtu(lab, 1300) != 1) return absl::UnavailableError("not changed yet");
    return lab.AllReady(kFourObjects);
  }));
  ASSERT_OK_AND_ASSIGN(const std::string later, lab.Run({"get", "network.network.m.kupenstack.io", "--output=json",
                                                         "--field-selector=metadata.name=later"}));

  ASSERT_OK(StopControlPlane());
  std::filesystem::remove_all(EtcdDirectory());
  std::filesystem::copy(snapshot, EtcdDirectory(), std::filesystem::copy_options::recursive);
  ASSERT_OK(StartControlPlane());

  ASSERT_OK(lab.RunUntil(kLimit, [&]() -> absl::Status {
    if (CountMtu(lab, 1400) != 1) return absl::UnavailableError("not changed back yet");
    return lab.AllReady(kFourObjects);
  }));
  expected.insert("later");
  EXPECT_EQ(lab.CloudObjects().value_or(std::multiset<std::string>()), expected);
  lab.cloud().ResetRequests();
  ASSERT_OK(Apply(ForRestore(later)));
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllReady(kFourObjects + 1); }));
  EXPECT_EQ(lab.CloudObjects().value_or(std::multiset<std::string>()), expected);
  ExpectNothingMade(lab);
}

}  // namespace
}  // namespace kupen::test
