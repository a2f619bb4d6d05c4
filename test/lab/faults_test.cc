// What goes wrong in a cloud, on the way to it and in Kubernetes: afterwards all is as it was asked for, once, and nobody had
// to help.
#include <signal.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/lab/lab.h"
#include "test/support/cluster_command.h"

namespace kupen::test {
namespace {

using Effect = Fault::Effect;

constexpr absl::Duration kLimit = absl::Minutes(2);
constexpr int kObjects = 4;

// One for each way to know an object again.
constexpr char kManifests[] = R"(
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: net, namespace: $NS}
spec: {$CONFIG, forProvider: {mtu: 1400}}
---
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: Flavor
metadata: {name: size, namespace: $NS}
spec: {$CONFIG, forProvider: {vcpus: 1, ram: 512, disk: 1}}
---
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: KeyPair
metadata: {name: key, namespace: $NS}
spec:
  $CONFIG
  forProvider: {publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7yHAPMVqnE6XoIHBTB1KLeSYBnJqZ6mYG8bwlEyJxn}
---
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: VirtualMachine
metadata: {name: machine, namespace: $NS}
spec: {$CONFIG, forProvider: {flavorRef: {name: size}, imageName: cirros, networks: [{networkName: public}]}}
)";

std::multiset<std::string> WithOurs(std::multiset<std::string> names) {
  names.merge(std::multiset<std::string>{"net", "size", "key", "machine"});
  return names;
}

// Created and deleted, while that happens to the cloud.
void LiveThrough(Lab& lab, const std::vector<Fault>& faults) {
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> before, lab.CloudObjects());
  lab.cloud().SetFaults(faults);
  ASSERT_OK(lab.Apply(kManifests));
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllReady(kObjects); }));
  EXPECT_EQ(lab.CloudObjects().value_or(before), WithOurs(before));
  for (const Fault& fault : lab.cloud().faults()) EXPECT_GT(fault.hits, 0) << "nothing went wrong";

  lab.cloud().SetFaults(faults);
  ASSERT_OK(lab.Run({"delete", "managed", "--all", "--wait=false"}).status());
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllGone(); }));
  EXPECT_EQ(lab.CloudObjects().value_or(WithOurs(before)), before);
}

TEST(Faults, OfACloudAndOnTheWayToIt) {
  const std::map<std::string, std::vector<Fault>> troubles = {
      {"connections that break before they have an effect",
       {{.effect = Effect::kDrop, .service = "network", .method = "POST", .times = 2},
        {.effect = Effect::kDrop, .service = "compute", .times = 6}}},
      {"connections that break after they had an effect",
       {{.effect = Effect::kDropAfter, .service = "network", .method = "POST", .times = 1},
        {.effect = Effect::kDropAfter, .service = "compute", .method = "POST", .path = "/servers", .times = 1},
        {.effect = Effect::kDropAfter, .service = "compute", .method = "POST", .path = "/flavors", .times = 1}}},
      {"gateways that lose patience",
       {{.effect = Effect::kRefuseAfter, .service = "network", .method = "POST", .times = 1, .status = 504},
        {.effect = Effect::kRefuseAfter,
         .service = "compute",
         .method = "POST",
         .path = "/servers",
         .times = 1,
         .status = 502}}},
      {"services that are busy",
       {{.effect = Effect::kRefuse, .service = "network", .times = 2, .status = 429, .retry_after = 1},
        {.effect = Effect::kRefuse, .service = "compute", .times = 2, .status = 503, .retry_after = 1},
        {.effect = Effect::kRefuse, .service = "identity", .times = 1, .status = 500}}},
      {"slow answers", {{.effect = Effect::kDelay, .delay = absl::Milliseconds(700)}}}};
  Lab lab;
  ASSERT_OK(lab.status());
  for (const auto& [name, faults] : troubles) {
    SCOPED_TRACE(name);
    LiveThrough(lab, faults);
    if (HasFatalFailure()) return;
  }
}

TEST(Faults, TokensThatAreNoLongerGood) {
  Lab lab;
  ASSERT_OK(lab.status());
  ASSERT_OK(lab.Apply(kManifests));
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllReady(kObjects); }));
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> with_ours, lab.CloudObjects());
  ASSERT_OK_AND_ASSIGN(const ProviderProcess provider, lab.Start());
  lab.cloud().ExpireTokens();
  ASSERT_OK(lab.Apply(absl::StrReplaceAll(kManifests, {{"mtu: 1400", "mtu: 1300"}})));
  ASSERT_OK(Eventually(kLimit, [&]() -> absl::Status {
    int changed = 0;
    lab.cloud().ForEachObject("network/networks", [&](const rapidjson::Value& network) {
      const rapidjson::Value* mtu = json::Find(network, {"mtu"});
      changed += mtu != nullptr && mtu->IsInt() && mtu->GetInt() == 1300 ? 1 : 0;
    });
    return changed == 1 ? absl::OkStatus() : absl::UnavailableError("not changed yet");
  }));
  EXPECT_EQ(lab.CloudObjects().value_or(std::multiset<std::string>()), with_ours);
}

// All at once and by their pids, as on a node that loses power; then they come back.
absl::Status RestartControlPlane() {
  ASSIGN_OR_RETURN(const ClusterState state, GetClusterState());
  for (const Part& part : state.parts) {
    if (part.pid > 1) kill(part.pid, SIGKILL);
  }
  return Cluster({"up", "control"}).status();
}

TEST(Faults, TheApiServerAndEtcdDieWhileObjectsAreMade) {
  Lab lab({.latency = absl::Milliseconds(300)});
  ASSERT_OK(lab.status());
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> before, lab.CloudObjects());
  ASSERT_OK_AND_ASSIGN(const ProviderProcess provider, lab.Start());
  ASSERT_OK(lab.Apply(kManifests));
  ASSERT_OK(Eventually(kLimit, [&] {
    return lab.cloud().CountObjects("network/networks") > 2 ? absl::OkStatus() : absl::UnavailableError("no network yet");
  }));
  ASSERT_OK(RestartControlPlane());
  ASSERT_OK(Eventually(kLimit, [&] { return lab.AllReady(kObjects); }));
  EXPECT_EQ(lab.CloudObjects().value_or(before), WithOurs(before));
}

// Of two replicas one acts; when it dies the other goes on where it was.
TEST(Faults, TheLeaderDies) {
  Lab lab;
  ASSERT_OK(lab.status());
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> before, lab.CloudObjects());
  lab.arguments() = {"--leader-election"};
  ASSERT_OK_AND_ASSIGN(ProviderProcess leader, lab.Start());
  ASSERT_OK(Eventually(kLimit, [&] { return Contains(lab.Log(), "holding the lease"); }));
  ASSERT_OK_AND_ASSIGN(const ProviderProcess second, lab.Start());
  ASSERT_OK(lab.Apply(kManifests));
  ASSERT_OK(Eventually(kLimit, [&] {
    return lab.cloud().CountObjects("network/networks") > 2 ? absl::OkStatus() : absl::UnavailableError("no network yet");
  }));
  leader.Kill();
  ASSERT_OK(Eventually(kLimit, [&] { return lab.AllReady(kObjects); }));
  EXPECT_EQ(lab.CloudObjects().value_or(before), WithOurs(before));
}

// A backup is restored: the objects come back with other UIDs, and only their annotations say what they were.
TEST(Faults, RestoredObjectsTakeTheirOwnBackAndLeaveOthersAlone) {
  Lab lab;
  ASSERT_OK(lab.status());
  ASSERT_OK(lab.Apply(kManifests));
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllReady(kObjects); }));
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> with_ours, lab.CloudObjects());
  ASSERT_OK_AND_ASSIGN(const std::string backup, lab.Run({"get", "managed", "--output=json"}));

  // While no provider looks: lost, and restored.
  ASSERT_OK(lab.Run({"delete", "managed", "--all", "--wait=false"}).status());
  for (const char* object : {"network.network.m.kupenstack.io/net", "flavor.compute.m.kupenstack.io/size",
                             "keypair.compute.m.kupenstack.io/key", "virtualmachine.compute.m.kupenstack.io/machine"}) {
    ASSERT_OK(lab.Run({"patch", object, "--type=merge", R"(--patch={"metadata":{"finalizers":null}})"}).status());
  }
  ASSERT_OK(lab.AllGone());
  ASSERT_OK_AND_ASSIGN(rapidjson::Document list, json::Parse(backup));
  for (rapidjson::Value& object : list["items"].GetArray()) {
    for (const char* member : {"uid", "resourceVersion", "deletionTimestamp", "generation", "creationTimestamp"}) {
      object["metadata"].RemoveMember(member);
    }
    object.RemoveMember("status");
  }
  lab.cloud().ResetRequests();
  ASSERT_OK(Apply(json::Write(list)));
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllReady(kObjects); }));
  EXPECT_EQ(lab.CloudObjects().value_or(std::multiset<std::string>()), with_ours);
  for (const RequestCount& count : lab.cloud().Requests()) {
    if (count.method == "POST" && !absl::EndsWith(count.path, "/auth/tokens"))
      ADD_FAILURE() << count.path << " was asked to make more";
  }
}

}  // namespace
}  // namespace kupen::test
