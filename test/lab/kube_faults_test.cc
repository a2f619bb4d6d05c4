// What goes wrong in Kubernetes, on the way to it and among replicas: afterwards all is as it was asked for, once, and nobody
// had to help.
#include <functional>
#include <set>
#include <string>

#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "test/lab/control_plane.h"
#include "test/lab/four_kinds.h"
#include "test/lab/lab.h"
#include "test/lab/line.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

constexpr absl::Duration kLimit = absl::Minutes(2);

absl::Status AwaitFirstNetwork(Lab& lab) {
  const size_t before = 2;  // what every cloud has
  return Eventually(kLimit, [&] {
    return lab.cloud().CountObjects("network/networks") > before ? absl::OkStatus() : absl::UnavailableError("no network yet");
  });
}

TEST(KubeFaults, TheApiServerAndEtcdDieWhileObjectsAreMade) {
  Lab lab({.latency = absl::Milliseconds(300)});
  ASSERT_OK(lab.status());
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> before, lab.CloudObjects());
  ASSERT_OK_AND_ASSIGN(const ProviderProcess provider, lab.Start());
  ASSERT_OK(lab.Apply(kFourKinds));
  ASSERT_OK(AwaitFirstNetwork(lab));
  ASSERT_OK(StopControlPlane());
  ASSERT_OK(StartControlPlane());
  ASSERT_OK(Eventually(kLimit, [&] { return lab.AllReady(kFourObjects); }));
  EXPECT_EQ(lab.CloudObjects().value_or(before), WithTheFour(before));
}

// Of two replicas one acts; when it dies the other goes on where it was.
TEST(KubeFaults, TheLeaderDies) {
  Lab lab;
  ASSERT_OK(lab.status());
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> before, lab.CloudObjects());
  lab.arguments() = {"--leader-election"};
  ASSERT_OK_AND_ASSIGN(ProviderProcess leader, lab.Start());
  ASSERT_OK(Eventually(kLimit, [&] { return Contains(lab.Log(), "holding the lease"); }));
  ASSERT_OK_AND_ASSIGN(const ProviderProcess second, lab.Start());
  ASSERT_OK(lab.Apply(kFourKinds));
  ASSERT_OK(AwaitFirstNetwork(lab));
  leader.Kill();
  ASSERT_OK(Eventually(kLimit, [&] { return lab.AllReady(kFourObjects); }));
  EXPECT_EQ(lab.CloudObjects().value_or(before), WithTheFour(before));
}

// By a line that goes bad, the objects live from their creation to their deletion.
void LiveBy(Line& line, Lab& lab, const std::function<void()>& go_bad) {
  ASSERT_OK(lab.status());
  ASSERT_OK(line.status());
  lab.environment()["KUBECONFIG"] = line.kubeconfig();
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> before, lab.CloudObjects());
  ASSERT_OK_AND_ASSIGN(const ProviderProcess provider, lab.Start());
  // CRDs are large: by a line that carries less than one of them, none is ever read.
  ASSERT_OK(Eventually(kLimit, [&] { return Contains(lab.Log(), "watching kind=compute.VirtualMachine"); }));
  go_bad();
  ASSERT_OK(lab.Apply(kFourKinds));
  ASSERT_OK(Eventually(kLimit, [&] { return lab.AllReady(kFourObjects); }));
  EXPECT_EQ(lab.CloudObjects().value_or(before), WithTheFour(before));
  ASSERT_OK(lab.Run({"delete", "managed", "--all", "--wait=false"}).status());
  ASSERT_OK(Eventually(kLimit, [&] { return lab.AllGone(); }));
  EXPECT_EQ(lab.CloudObjects().value_or(WithTheFour(before)), before);
}

TEST(KubeFaults, ConnectionsBreakInTheMiddleOfRequestsAndWatches) {
  Line line;
  Lab lab;
  // Enough for a handshake and a few requests.
  LiveBy(line, lab, [&] { line.SetLife(30'000); });
  EXPECT_GT(line.ended(), 5);
}

TEST(KubeFaults, TheLineIsSlow) {
  Line line;
  Lab lab;
  LiveBy(line, lab, [&] { line.SetDelay(absl::Milliseconds(100)); });
}

// While it could not be reached, the API server has forgotten what the watches would go on from (410).
TEST(KubeFaults, WatchesThatAreTooOldBeginAgain) {
  Line line;
  ASSERT_OK(line.status());
  Lab lab;
  ASSERT_OK(lab.status());
  lab.environment()["KUBECONFIG"] = line.kubeconfig();
  lab.arguments() = {"--debug"};
  ASSERT_OK_AND_ASSIGN(const ProviderProcess provider, lab.Start());
  ASSERT_OK(lab.Apply(kFourKinds));
  ASSERT_OK(Eventually(kLimit, [&] { return lab.AllReady(kFourObjects); }));
  ASSERT_OK_AND_ASSIGN(std::multiset<std::string> expected, lab.CloudObjects());

  line.Cut();
  ASSERT_OK(lab.Apply(absl::StrReplaceAll(kFourKinds, {{"mtu: 1400", "mtu: 1300"}, {"name: key", "name: other"}})));
  ASSERT_OK(lab.Run({"delete", "keypair.compute.m.kupenstack.io/key", "--wait=false"}).status());
  ASSERT_OK(StopControlPlane());
  ASSERT_OK(StartControlPlane());
  line.Mend();

  expected.erase("key");
  expected.insert("other");
  ASSERT_OK(Eventually(kLimit, [&]() -> absl::Status {
    if (CountMtu(lab, 1300) != 1) return absl::UnavailableError("not changed yet");
    return lab.AllReady(kFourObjects);
  }));
  EXPECT_EQ(lab.CloudObjects().value_or(std::multiset<std::string>()), expected);
  ASSERT_OK(Contains(lab.Log(), "too old resource version"));
}

}  // namespace
}  // namespace kupen::test
