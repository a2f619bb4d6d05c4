// Whose an object of the cloud is, and whether it is gone or only out of sight.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "provider/json/json.h"
#include "test/provider/managed/world.h"

namespace kupen::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr char kNetwork[] = "network.Network";
constexpr char kMachine[] = "compute.VirtualMachine";
constexpr char kOurMarker[] = "[kupen:c1057e40:00000000-0000-4000-8000-000000000001]";

using Answer = std::optional<absl::StatusOr<http::Response>>;

std::string Network(const std::string& name, const std::string& external_name = "", const std::string& annotations = "",
                    const std::string& policies = R"(["*"])") {
  return absl::StrCat(R"({"metadata":{"name":")", name, R"(","namespace":"team","annotations":{)",
                      external_name.empty() ? "" : absl::StrCat(R"("crossplane.io/external-name":")", external_name, "\""),
                      annotations, R"(}},"spec":{"forProvider":{},"managementPolicies":)", policies, "}}");
}

std::string Description(const World& world, const std::string& id) {
  return std::string(json::String(world.service.Get("networks", id), {"description"}));
}

TEST(Owner, OfTwoThatNameOneIdTheFirstHasIt) {
  World world;
  world.service.Put("networks", "n-7", R"({"name":"old","status":"ACTIVE","mtu":1450,"project_id":"p1"})");
  world.kube.Put(kNetwork, Network("blue", "n-7"));
  world.Settle();
  // By its name it would be the first.
  world.kube.Put(kNetwork, Network("azure", "n-7"));
  world.Settle();
  world.SettleAfter(absl::Seconds(4));
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
  EXPECT_THAT(world.Condition(kNetwork, "azure", "Synced"), HasSubstr("Network n-7 is managed by team/blue already"));
  EXPECT_THAT(world.kube.AwaitEvent("CannotObserveExternalResource"), Contains("CannotObserveExternalResource").Times(1));
  world.Restart();
  EXPECT_TRUE(world.SettleUntil([&] { return !world.service.requests().empty(); }));
  world.SettleAfter(absl::Seconds(11));
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Synced"), "True ReconcileSuccess");
  EXPECT_THAT(world.Condition(kNetwork, "azure", "Synced"), HasSubstr("is managed by team/blue already"));
  world.kube.Delete(kNetwork, kNamespace, "azure");
  world.Settle();
  EXPECT_THAT(world.service.Ids("networks"), ElementsAre("n-7")) << "it was never its to delete";
}

TEST(Owner, WhoWasRefusedHasItWhenTheFirstLetsGo) {
  World world;
  world.service.Put("networks", "n-7", R"({"name":"old","status":"ACTIVE","mtu":1450,"project_id":"p1"})");
  world.kube.Put(kNetwork, Network("blue", "n-7", "", R"(["Observe","Create","Update"])"));
  world.kube.Put(kNetwork, Network("red", "n-7"));
  world.Settle();
  world.kube.Delete(kNetwork, kNamespace, "blue");
  world.Settle();
  EXPECT_TRUE(world.kube.Get(kNetwork, kNamespace, "blue").IsNull());
  world.SettleAfter(absl::Seconds(60));
  EXPECT_EQ(world.Condition(kNetwork, "red", "Ready"), "True Available");
}

TEST(Owner, WhoOnlyLooksIsNoRival) {
  World world;
  world.service.Put("networks", "n-7", R"({"name":"old","status":"ACTIVE","mtu":1450,"project_id":"p1"})");
  world.kube.Put(kNetwork, Network("azure", "n-7", "", R"(["Observe"])"));
  world.kube.Put(kNetwork, Network("blue", "n-7"));
  world.kube.Put(kNetwork, Network("cyan", "n-7", "", R"(["Observe"])"));
  world.Settle();
  for (const char* name : {"azure", "blue", "cyan"}) EXPECT_EQ(world.Condition(kNetwork, name, "Ready"), "True Available");
}

TEST(Owner, ATakeOverIsWrittenDown) {
  World world;
  world.service.Put("networks", "n-7", R"({"name":"old","status":"ACTIVE","mtu":1450,"project_id":"p1",
      "description":"for people [kupen:0badc1a0:11111111-0000-4000-8000-000000000001]"})");
  world.kube.Put(kNetwork, Network("blue", "n-7"));
  world.Settle();
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Synced"), HasSubstr("belongs to another Kubernetes cluster (0badc1a0)"));
  EXPECT_THAT(world.service.requests(), Not(Contains("PUT /networks")));
  world.kube.Put(kNetwork, Network("blue", "n-7", R"(,"m.kupenstack.io/take-over":"true")"));
  world.Settle();
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
  EXPECT_EQ(Description(world, "n-7"), absl::StrCat("for people ", kOurMarker));
  EXPECT_THAT(world.kube.AwaitEvent("TookOverExternalResource"), Contains("TookOverExternalResource").Times(1));
  world.service.ForgetRequests();
  world.kube.Put(kNetwork, Network("blue", "n-7", R"(,"m.kupenstack.io/take-over":null)"));
  world.Settle();
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Synced"), "True ReconcileSuccess") << "the annotation has done its work";
  EXPECT_THAT(world.service.requests(), Not(Contains("PUT /networks")));
}

TEST(Owner, ARestoredClusterTakesItsObjectsBack) {
  World world;
  world.service.Put("networks", "n-7", R"({"name":"blue","status":"ACTIVE","mtu":1450,"project_id":"p1",
      "description":"[kupen:c1057e40:99999999-0000-4000-8000-000000000009]"})");
  world.kube.Put(kNetwork, Network("blue", "n-7"));
  world.Settle();
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
  EXPECT_EQ(Description(world, "n-7"), kOurMarker);
  EXPECT_THAT(world.service.Ids("networks"), SizeIs(1));
}

TEST(Owner, ATwinThatComesLateIsDeleted) {
  World world;
  world.kube.Put(kNetwork, Network("blue"));
  world.Settle();
  const std::string id = world.ExternalName(kNetwork, "blue");
  world.service.Put("networks", "0-late",
                    absl::StrCat(R"({"name":"blue","status":"ACTIVE","project_id":"p1",
      "created_at":"2026-01-01T00:00:00Z","description":")",
                                 kOurMarker, R"("})"));
  world.clock.AwaitWaiters(1);
  world.clock.Advance(absl::Seconds(31));
  EXPECT_TRUE(world.SettleUntil([&] { return world.service.Ids("networks").size() == 1; }));
  EXPECT_THAT(world.service.Ids("networks"), ElementsAre(id))
      << "what is recorded stays, though the other says that it is older";
  EXPECT_THAT(world.kube.AwaitEvent("FoundTwins"), Contains("FoundTwins").Times(1));
}

TEST(Owner, AnotherProjectsForgeryIsNoTwin) {
  World world;
  world.kube.Put(kNetwork, Network("blue"));
  world.Settle();
  const std::string id = world.ExternalName(kNetwork, "blue");
  world.service.Put("networks", "n-forged",
                    absl::StrCat(R"({"name":"blue","status":"ACTIVE","project_id":"p9",
      "description":")",
                                 kOurMarker, R"("})"));
  world.service.Put("networks", id, R"({"status":"DOWN"})");
  world.clock.AwaitWaiters(1);
  world.clock.Advance(absl::Seconds(31));
  EXPECT_TRUE(world.SettleUntil([&] { return absl::StartsWith(world.Condition(kNetwork, "blue", "Ready"), "False"); }));
  EXPECT_THAT(world.service.Ids("networks"), SizeIs(2));
}

TEST(Owner, ADeletionTakesTheTwinToo) {
  World world;
  world.kube.Put(kNetwork, Network("blue"));
  world.Settle();
  world.service.Put("networks", "n-late",
                    absl::StrCat(R"({"name":"blue","status":"ACTIVE","project_id":"p1","description":")", kOurMarker, R"("})"));
  world.Restart();
  world.Settle();
  world.clock.AwaitWaiters(1);
  world.kube.Delete(kNetwork, kNamespace, "blue");
  EXPECT_TRUE(world.SettleUntil([&] { return world.kube.Get(kNetwork, kNamespace, "blue").IsNull(); }));
  EXPECT_THAT(world.service.Ids("networks"), IsEmpty());
}

// The cloud of somebody whose role was taken away: it lists nothing and knows nothing, and is friendly about it.
Answer HideFrom(const http::Request& request) {
  if (request.method != "GET" || !absl::StrContains(request.target, "/networks")) return std::nullopt;
  const bool list = !absl::StrContains(request.target, "/networks/");
  return absl::StatusOr<http::Response>(http::Response{
      .status = list ? 200 : 404, .headers = {}, .body = list ? R"({"networks":[]})" : R"({"NeutronError":{"message":"no"}})"});
}

void LoseRole(World& world) {
  world.cloud.set_roles(R"([{"name":"reader"}])");
  world.cloud.RevokeTokens();
  world.service.set_before(HideFrom);
}

TEST(Owner, WhatALostRoleHidesIsNotTakenForGone) {
  World world;
  world.kube.Put(kNetwork, Network("blue"));
  world.Settle();
  world.clock.AwaitWaiters(1);
  LoseRole(world);
  world.clock.Advance(absl::Seconds(31));
  ASSERT_TRUE(world.SettleUntil([&] { return world.Condition(kNetwork, "blue", "Synced") != "True ReconcileSuccess"; }));
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Synced"), HasSubstr("had the role admin too: give it back"));
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available") << "as far as anybody knows";
  for (int i = 0; i < 20; ++i) world.SettleAfter(absl::Seconds(61));
  EXPECT_THAT(world.service.Ids("networks"), SizeIs(1));
  world.service.set_before(nullptr);
  world.cloud.set_roles(R"([{"name":"admin"}])");
  world.cloud.RevokeTokens();
  world.SettleAfter(absl::Seconds(61));
  EXPECT_TRUE(world.SettleUntil([&] { return world.Condition(kNetwork, "blue", "Synced") == "True ReconcileSuccess"; }));
  EXPECT_THAT(world.service.Ids("networks"), SizeIs(1));
}

TEST(Owner, NorAfterARestart) {
  World world;
  world.kube.Put(kNetwork, Network("blue"));
  world.Settle();
  LoseRole(world);
  world.Restart();
  ASSERT_TRUE(world.SettleUntil([&] { return world.Condition(kNetwork, "blue", "Synced") != "True ReconcileSuccess"; }));
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Synced"), HasSubstr("had the role admin"));
  for (int i = 0; i < 5; ++i) world.SettleAfter(absl::Seconds(61));
  EXPECT_THAT(world.service.Ids("networks"), SizeIs(1));
  world.kube.Delete(kNetwork, kNamespace, "blue");
  world.SettleAfter(absl::Seconds(61));
  EXPECT_FALSE(world.kube.Get(kNetwork, kNamespace, "blue").IsNull()) << "it is still in the cloud";
}

TEST(Owner, FiveHundredThatVanishAtOnceAreNotRecreated) {
  World world;
  constexpr int kMany = 500;
  for (int i = 0; i < kMany; ++i) world.kube.Put(kNetwork, Network(absl::StrFormat("net-%03d", i)));
  world.Settle();
  ASSERT_THAT(world.service.Ids("networks"), SizeIs(kMany));
  world.clock.AwaitWaiters(1);
  world.clock.Advance(absl::Seconds(31));
  world.Settle();
  world.clock.AwaitWaiters(1);
  LoseRole(world);
  world.service.ForgetRequests();
  for (int i = 0; i < 4; ++i) {
    world.clock.Advance(absl::Seconds(61));
    world.Settle();
    world.clock.AwaitWaiters(1);
  }
  EXPECT_TRUE(world.SettleUntil([&] { return world.doubts > 0; }));
  EXPECT_THAT(world.service.requests(), Not(Contains("POST /networks")));
  EXPECT_THAT(world.service.Ids("networks"), SizeIs(kMany));
}

std::string Machine() {
  return R"({"metadata":{"name":"vm","namespace":"team"},
             "spec":{"forProvider":{"flavorID":"f-1","imageID":"i-1","description":"mine"},"replacePolicy":"WhenRequired"}})";
}

TEST(Owner, WhatADownCellCannotTellIsNeitherDriftNorFailureNorGone) {
  World world;
  world.service.SetDefaults("servers", R"({"status":"ACTIVE","tenant_id":"p1","tags":[]})");
  world.kube.Put(kMachine, Machine());
  world.Settle();
  ASSERT_EQ(world.Condition(kMachine, "vm", "Ready"), "True Available") << world.Condition(kMachine, "vm", "Synced");
  const std::string id = world.ExternalName(kMachine, "vm");
  world.clock.AwaitWaiters(1);
  world.service.Put("servers", id, R"({"status":"UNKNOWN","description":null,"name":"","flavorRef":"","tags":[]})");
  world.service.ForgetRequests();
  world.clock.Advance(absl::Seconds(31));
  ASSERT_TRUE(world.SettleUntil([&] { return world.Condition(kMachine, "vm", "Synced") != "True ReconcileSuccess"; }));
  EXPECT_THAT(world.Condition(kMachine, "vm", "Synced"), HasSubstr("the cloud cannot tell how VirtualMachine"));
  EXPECT_EQ(world.Condition(kMachine, "vm", "Ready"), "True Available");
  for (int i = 0; i < 5; ++i) world.SettleAfter(absl::Seconds(61));
  for (const char* request : {"POST /servers", "PUT /servers", "DELETE /servers"}) {
    EXPECT_THAT(world.service.requests(), Not(Contains(request)));
  }
}

}  // namespace
}  // namespace kupen::test
