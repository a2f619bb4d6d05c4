#include "provider/cmd/crd_gate.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "apis/model/kinds.h"
#include "apis/registry/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "provider/kube/client.h"
#include "provider/kube/watcher.h"
#include "provider/runtime/work_queue.h"
#include "provider/runtime/workers.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/fake_transport.h"

namespace kupen::cmd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Type = kube::WatchEvent::Type;

constexpr char kNetworks[] = "networks.network.m.kupenstack.io";

std::string Crd(absl::string_view established, absl::string_view version = "v1alpha1", absl::string_view served = "true") {
  return absl::Substitute(
      R"({"metadata":{"name":"x"},"spec":{"versions":[{"name":"v0","served":true},{"name":"$1","served":$2}]},
                              "status":{"conditions":[{"type":"NamesAccepted","status":"True"},
                                                      {"type":"Established","status":"$0"}]}})",
      established, version, served);
}

class CrdGateTest : public testing::Test {
 protected:
  void Take(Type type, absl::string_view name = "") {
    rapidjson::Document object = *json::Parse(absl::Substitute(R"({"metadata":{"name":"$0"}})", name));
    gate_.Take({.type = type, .object = name.empty() ? nullptr : &object});
  }

  // Handles one CRD that waits; nothing if none does.
  std::optional<runtime::Outcome> Handle() {
    if (queue_.Ready() == 0) return std::nullopt;
    const std::optional<runtime::Key> key = queue_.Take({});
    const runtime::Outcome outcome = gate_.Reconcile(*key, {});
    queue_.Done(*key);
    return outcome;
  }

  test::FakeClock clock_;
  test::FakeTransport transport_;
  kube::Client client_{transport_, "test"};
  runtime::WorkQueue queue_{clock_};
  std::vector<std::string> opened_;
  CrdGate gate_{apis::Registry(), client_, queue_, [this](const apis::Kind& kind) { opened_.push_back(kind.reference()); }};
};

TEST_F(CrdGateTest, StartsWithNoneOfItsCrds) {
  Take(Type::kInit);
  Take(Type::kInitApply, "providers.pkg.crossplane.io");
  EXPECT_FALSE(gate_.settled());
  Take(Type::kInitDone);
  EXPECT_TRUE(gate_.settled());
  EXPECT_EQ(Handle(), std::nullopt) << "others' CRDs are not looked at";
  EXPECT_THAT(opened_, IsEmpty());
}

TEST_F(CrdGateTest, OpensAKindWhoseCrdIsServed) {
  transport_.Reply(200, Crd("True"));
  Take(Type::kInit);
  Take(Type::kInitApply, kNetworks);
  Take(Type::kInitDone);
  EXPECT_FALSE(gate_.settled());
  ASSERT_NE(Handle(), std::nullopt);
  EXPECT_THAT(opened_, ElementsAre("network.Network"));
  EXPECT_TRUE(gate_.settled());
  EXPECT_EQ(transport_.requests()[0].target,
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/networks.network.m.kupenstack.io");
}

TEST_F(CrdGateTest, OpensAKindWhenItsCrdIsEstablishedLater) {
  Take(Type::kInit);
  Take(Type::kInitDone);
  transport_.Reply(200, Crd("False"));
  Take(Type::kApply, kNetworks);
  Handle();
  EXPECT_THAT(opened_, IsEmpty());
  EXPECT_EQ(Handle(), std::nullopt) << "nothing to do before it changes";
  transport_.Reply(200, Crd("True"));
  Take(Type::kApply, kNetworks);
  Handle();
  EXPECT_THAT(opened_, ElementsAre("network.Network"));
}

TEST_F(CrdGateTest, OpensAKindOnceEvenIfItsCrdGoesAndComesBack) {
  transport_.Reply(200, Crd("True"));
  Take(Type::kApply, kNetworks);
  Handle();
  Take(Type::kDelete, kNetworks);
  Take(Type::kApply, kNetworks);
  EXPECT_EQ(Handle(), std::nullopt);
  EXPECT_THAT(opened_, ElementsAre("network.Network"));
}

TEST_F(CrdGateTest, CrdThatIsGoneBeforeItIsReadIsForgotten) {
  transport_.Reply(404, R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})");
  Take(Type::kInitApply, kNetworks);
  Take(Type::kDelete, kNetworks);
  Take(Type::kInitDone);
  const std::optional<runtime::Outcome> outcome = Handle();
  ASSERT_NE(outcome, std::nullopt);
  EXPECT_FALSE(outcome->failed());
  EXPECT_TRUE(gate_.settled());
}

TEST_F(CrdGateTest, CrdThatCannotBeReadIsTriedAgain) {
  transport_.ReplyError(absl::UnavailableError("refused"));
  Take(Type::kInitApply, kNetworks);
  Take(Type::kInitDone);
  const std::optional<runtime::Outcome> outcome = Handle();
  ASSERT_NE(outcome, std::nullopt);
  EXPECT_TRUE(outcome->failed());
  EXPECT_FALSE(gate_.settled());
}

TEST_F(CrdGateTest, KindsOfConfigurationAreGatedToo) {
  transport_.Reply(200, Crd("True"));
  Take(Type::kApply, "providerconfigs.m.kupenstack.io");
  Handle();
  EXPECT_THAT(opened_, ElementsAre("ProviderConfig"));
}

TEST(IsServed, NeedsEstablishedAndOurVersion) {
  const apis::Kind& network = *apis::Registry().Find("network.Network");
  EXPECT_TRUE(IsServed(*json::Parse(Crd("True")), network));
  EXPECT_FALSE(IsServed(*json::Parse(Crd("False")), network));
  EXPECT_FALSE(IsServed(*json::Parse(Crd("True", "v1")), network));
  EXPECT_FALSE(IsServed(*json::Parse(Crd("True", "v1alpha1", "false")), network));
  EXPECT_FALSE(IsServed(*json::Parse("{}"), network));
  rapidjson::Document going = *json::Parse(Crd("True"));
  going["metadata"].AddMember("deletionTimestamp", "2026-01-01T00:00:00Z", going.GetAllocator());
  EXPECT_FALSE(IsServed(going, network));
}

}  // namespace
}  // namespace kupen::cmd
