#include "provider/managed/reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "provider/json/json.h"
#include "test/provider/managed/world.h"

namespace kupen::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kNetwork[] = "network.Network";
constexpr char kSubnet[] = "network.Subnet";

std::string Network(const std::string& more = "", const std::string& metadata = "") {
  return absl::StrCat(R"({"metadata":{"name":"blue","namespace":"team")", metadata, R"(},"spec":{"forProvider":{)", more,
                      "}}}");
}

std::string Subnet() {
  return R"({"metadata":{"name":"low","namespace":"team"},
             "spec":{"forProvider":{"networkRef":{"name":"blue"},"cidr":"10.0.0.0/24"}}})";
}

std::optional<absl::StatusOr<http::Response>> Refusal(const http::Request& request, const std::string& method, int status,
                                                      const std::string& body) {
  if (request.method != method) return std::nullopt;
  return absl::StatusOr<http::Response>(http::Response{
      .status = status, .headers = {{"X-Openstack-Request-Id", "req-11111111-2222-4333-8444-555555555555"}}, .body = body});
}

TEST(Reconciler, CreatesWithOneRequestAndFourWrites) {
  World world;
  world.kube.Put(kNetwork, Network(R"("mtu":1400)"));
  world.Settle();

  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Synced"), "True ReconcileSuccess");
  ASSERT_THAT(world.service.Ids("networks"), SizeIs(1));
  const std::string id = world.service.Ids("networks")[0];
  EXPECT_EQ(world.ExternalName(kNetwork, "blue"), id);
  const rapidjson::Document network = world.service.Get("networks", id);
  EXPECT_EQ(json::String(network, {"name"}), "blue");
  EXPECT_THAT(std::string(json::String(network, {"description"})), HasSubstr("kupen:c1057e40:"));
  EXPECT_THAT(world.kube.AwaitEvents(1), ElementsAre("CreatedExternalResource"));
  EXPECT_THAT(world.kube.writes(), SizeIs(4));
  EXPECT_THAT(world.service.requests(), Contains("POST /networks").Times(1));
}

TEST(Reconciler, ASettledObjectCostsNothing) {
  World world;
  world.kube.Put(kNetwork, Network());
  world.Settle();
  world.kube.AwaitEvents(1);
  const size_t writes = world.kube.writes().size();
  world.service.ForgetRequests();
  world.Restart();
  EXPECT_TRUE(world.SettleUntil([&] { return !world.service.requests().empty(); }));
  world.SettleAfter(absl::Seconds(1));
  world.SettleAfter(absl::Hours(1));
  EXPECT_EQ(world.kube.writes().size(), writes) << world.kube.written_text();
  EXPECT_THAT(world.service.requests(), Not(Contains("POST /networks")));
  EXPECT_THAT(world.service.requests(), Not(Contains("PUT /networks")));
}

TEST(Reconciler, DoesNotCreateTwiceWhenTheWatchIsLate) {
  World world;
  world.kube.Put(kNetwork, Network());
  world.kube.set_late(true);
  world.Settle();
  world.kube.Put(kNetwork, Network());
  world.Settle();
  world.kube.CatchUp();
  world.Settle();
  EXPECT_THAT(world.service.Ids("networks"), SizeIs(1));
}

TEST(Reconciler, FindsWhatACreateMadeWhoseAnswerWasLost) {
  World world;
  world.service.set_after([](const http::Request& request) -> std::optional<absl::StatusOr<http::Response>> {
    if (request.method != "POST") return std::nullopt;
    return absl::StatusOr<http::Response>(absl::UnavailableError("connection reset"));
  });
  world.kube.Put(kNetwork, Network());
  world.Settle();
  ASSERT_THAT(world.service.Ids("networks"), SizeIs(1));
  world.service.set_after(nullptr);
  world.SettleAfter(absl::Seconds(2));
  EXPECT_THAT(world.service.Ids("networks"), ElementsAre(world.ExternalName(kNetwork, "blue")));
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
}

TEST(Reconciler, FindsWhatAnEarlierLifeMade) {
  World world;
  world.kube.Put(kNetwork, Network("", R"(,"finalizers":["finalizer.managedresource.crossplane.io"])"));
  world.service.Put("networks", "n-1", R"({"name":"blue","status":"ACTIVE","mtu":1450,
      "description":"kupen:c1057e40:00000000-0000-4000-8000-000000000001"})");
  world.Settle();
  EXPECT_EQ(world.ExternalName(kNetwork, "blue"), "n-1");
  EXPECT_THAT(world.service.Ids("networks"), SizeIs(1));
}

TEST(Reconciler, CreatesAgainOnlyAfterTwoListsAMinuteApart) {
  World world;
  world.kube.Put(kNetwork, Network("", R"(,"finalizers":["finalizer.managedresource.crossplane.io"])"));
  world.Settle();
  EXPECT_THAT(world.service.Ids("networks"), IsEmpty());
  world.SettleAfter(absl::Seconds(30));
  EXPECT_THAT(world.service.Ids("networks"), IsEmpty());
  world.SettleAfter(absl::Seconds(31));
  EXPECT_THAT(world.service.Ids("networks"), SizeIs(1));
}

TEST(Reconciler, RestoresWhatWasChangedBehindItsBack) {
  World world;
  world.kube.Put(kNetwork, Network(R"("mtu":1400,"description":"for people")"));
  world.Settle();
  const std::string id = world.ExternalName(kNetwork, "blue");
  world.service.Put("networks", id, R"({"mtu":9000})");
  // A process that ends drops the events that it has not sent.
  EXPECT_THAT(world.kube.AwaitEvents(1), SizeIs(1));
  world.Restart();
  EXPECT_TRUE(world.SettleUntil([&] { return world.service.Get("networks", id)["mtu"].GetInt() == 1400; }));
  EXPECT_THAT(world.kube.AwaitEvents(2), ElementsAre("CreatedExternalResource", "UpdatedExternalResource"));
}

TEST(Reconciler, AnUpdateKeepsTheMarker) {
  World world;
  world.kube.Put(kNetwork, Network(R"("description":"old")"));
  world.Settle();
  world.kube.Put(kNetwork, Network(R"("description":"new")"));
  world.Settle();
  const rapidjson::Document network = world.service.Get("networks", world.ExternalName(kNetwork, "blue"));
  EXPECT_THAT(std::string(json::String(network, {"description"})), AllOf(StartsWith("new"), HasSubstr("kupen:c1057e40:")));
}

TEST(Reconciler, CreatesAnewWhatHasVanished) {
  World world;
  world.kube.Put(kNetwork, Network());
  world.Settle();
  const std::string before = world.ExternalName(kNetwork, "blue");
  world.service.Remove("networks", before);
  world.Restart();
  // The mirror finds it missing, then there are two lists a minute apart.
  EXPECT_TRUE(
      world.SettleUntil([&] { return !world.kube.Get(kNetwork, kNamespace, "blue")["status"].HasMember("atProvider"); }));
  world.SettleAfter(absl::Seconds(61));
  ASSERT_THAT(world.service.Ids("networks"), SizeIs(1));
  EXPECT_NE(world.ExternalName(kNetwork, "blue"), before);
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
}

TEST(Reconciler, WaitsForWhatItRefersTo) {
  World world;
  world.kube.Put(kSubnet, Subnet());
  world.Settle();
  EXPECT_THAT(world.service.requests(), Not(Contains("POST /subnets")));
  world.SettleAfter(absl::Seconds(4));
  EXPECT_THAT(world.Condition(kSubnet, "low", "Synced"), HasSubstr("there is no Network blue in this namespace yet"));
  world.kube.Put(kNetwork, Network());
  world.Settle();
  EXPECT_EQ(world.Condition(kSubnet, "low", "Ready"), "True Available");
  const rapidjson::Document subnet = world.kube.Get(kSubnet, kNamespace, "low");
  EXPECT_EQ(json::Write(*json::Find(subnet, {"status", "references"})),
            absl::StrCat(R"([{"field":"networkID","object":"blue","id":")", world.ExternalName(kNetwork, "blue"),
                         R"(","by":"networkRef"}])"));
}

TEST(Reconciler, DeletesFromTheCloudFirst) {
  World world;
  world.kube.Put(kNetwork, Network());
  world.Settle();
  world.kube.Delete(kNetwork, kNamespace, "blue");
  world.Settle();
  EXPECT_THAT(world.service.Ids("networks"), IsEmpty());
  EXPECT_TRUE(world.kube.Get(kNetwork, kNamespace, "blue").IsNull());
}

TEST(Reconciler, AnOrphanStaysInTheCloud) {
  World world;
  world.kube.Put(kNetwork, absl::StrReplaceAll(
                               Network(), {{R"("spec":{)", R"("spec":{"managementPolicies":["Observe","Create","Update"],)"}}));
  world.Settle();
  world.kube.Delete(kNetwork, kNamespace, "blue");
  world.Settle();
  EXPECT_THAT(world.service.Ids("networks"), SizeIs(1));
  EXPECT_TRUE(world.kube.Get(kNetwork, kNamespace, "blue").IsNull());
}

TEST(Reconciler, AQuotaIsSaidAndTriedAgainInMinutes) {
  World world;
  world.service.set_before([](const http::Request& request) {
    return Refusal(
        request, "POST", 409,
        R"({"NeutronError":{"type":"OverQuota","message":"Quota exceeded for resources: ['network'].","detail":""}})");
  });
  world.kube.Put(kNetwork, Network());
  world.Settle();
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Synced"),
            "False ReconcileError create failed: neutron: 409 Quota exceeded for resources: ['network'].");
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Stalled"), StartsWith("True"));
  EXPECT_THAT(world.kube.AwaitEvents(1), ElementsAre("CannotCreateExternalResource"));
  EXPECT_THAT(world.kube.written_text(), HasSubstr("req-11111111-2222-4333-8444-555555555555"));
  const size_t writes = world.kube.writes().size();
  world.service.set_before(nullptr);
  world.SettleAfter(absl::Minutes(1));
  EXPECT_THAT(world.service.Ids("networks"), IsEmpty());
  EXPECT_EQ(world.kube.writes().size(), writes);
  world.SettleAfter(absl::Minutes(5));
  EXPECT_THAT(world.service.Ids("networks"), SizeIs(1));
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Stalled"), StartsWith("False"));
}

TEST(Reconciler, ImportsByExternalName) {
  World world;
  world.service.Put("networks", "n-7", R"({"name":"old","status":"ACTIVE","mtu":1450,"description":"by hand"})");
  world.kube.Put(kNetwork, Network("", R"(,"annotations":{"crossplane.io/external-name":"n-7"})"));
  world.Settle();
  EXPECT_THAT(world.service.Ids("networks"), ElementsAre("n-7"));
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
  EXPECT_THAT(world.service.requests(), Not(Contains("PUT /networks")));
}

TEST(Reconciler, AnExternalNameThatLeadsNowhereIsSaid) {
  World world;
  world.kube.Put(kNetwork, Network("", R"(,"annotations":{"crossplane.io/external-name":"n-8"})"));
  world.Settle();
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Synced"), HasSubstr("remove the annotation to have one created"));
  EXPECT_THAT(world.service.Ids("networks"), IsEmpty());
}

TEST(Reconciler, LeavesAnotherClustersObjectsAlone) {
  World world;
  world.service.Put("networks", "n-9", R"({"name":"theirs","status":"ACTIVE",
      "description":"kupen:0badc0de:00000000-0000-4000-8000-00000000000f"})");
  world.kube.Put(kNetwork, Network("", R"(,"annotations":{"crossplane.io/external-name":"n-9"})"));
  world.Settle();
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Synced"), HasSubstr("belongs to another Kubernetes cluster (0badc0de)"));
}

TEST(Reconciler, AnImmutableChangeIsSaid) {
  World world;
  world.kube.Put(kSubnet, Subnet());
  world.kube.Put(kNetwork, Network());
  world.Settle();
  world.kube.Put(kSubnet, absl::StrReplaceAll(Subnet(), {{"10.0.0.0/24", "10.9.0.0/24"}}));
  world.Settle();
  EXPECT_THAT(world.Condition(kSubnet, "low", "Synced"), HasSubstr("cidr: 10.0.0.0/24 → 10.9.0.0/24"));
  EXPECT_THAT(world.service.Ids("subnets"), SizeIs(1));
}

TEST(Reconciler, APausedObjectIsLeftAlone) {
  World world;
  world.kube.Put(kNetwork, Network("", R"(,"annotations":{"crossplane.io/paused":"true"})"));
  world.Settle();
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Synced"), StartsWith("False ReconcilePaused"));
  EXPECT_THAT(world.service.requests(), IsEmpty());
}

TEST(Reconciler, WhatSomebodyHasStoppedIsNotAskedForAgainAndAgain) {
  World world;
  world.service.SetDefaults("networks", R"({"status":"DOWN","admin_state_up":false,"mtu":1450,"description":"","tags":[]})");
  world.kube.Put(kNetwork, Network());
  world.Settle();
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "False Unavailable the cloud says DOWN");
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Reconciling"), "False Settled");
  world.clock.AwaitWaiters(1);
  world.service.ForgetRequests();
  world.SettleAfter(absl::Seconds(10));
  world.clock.AwaitWaiters(1);
  EXPECT_THAT(world.service.requests(), IsEmpty());
}

TEST(Reconciler, ReferencesAreResolvedAnewForWhatIsCreatedAnew) {
  World world;
  world.kube.Put(kNetwork, Network());
  world.kube.Put(kSubnet, Subnet());
  world.Settle();
  const std::string before = world.ExternalName(kNetwork, "blue");
  world.clock.AwaitWaiters(2);
  world.service.Remove("networks", before);
  world.clock.Advance(absl::Seconds(31));
  ASSERT_TRUE(world.SettleUntil([&] { return world.ExternalName(kNetwork, "blue") != before; }));
  world.clock.AwaitWaiters(2);
  world.service.Remove("subnets", world.ExternalName(kSubnet, "low"));
  world.clock.Advance(absl::Seconds(31));
  ASSERT_TRUE(world.SettleUntil([&] { return world.service.Ids("subnets").size() == 1; }));
  const rapidjson::Document subnet = world.service.Get("subnets", world.service.Ids("subnets")[0]);
  EXPECT_EQ(json::String(subnet, {"network_id"}), world.ExternalName(kNetwork, "blue"));
}

TEST(Reconciler, WhatOtherCredentialsCannotSeeIsNotTakenForGone) {
  World world;
  world.service.SetDefaults("networks", R"({"status":"ACTIVE","project_id":"p9","mtu":1450,"description":"","tags":[]})");
  world.kube.Put(kNetwork, Network());
  world.Settle();
  world.clock.AwaitWaiters(1);
  world.service.Remove("networks", world.ExternalName(kNetwork, "blue"));
  world.clock.Advance(absl::Seconds(31));
  ASSERT_TRUE(world.SettleUntil([&] { return world.Condition(kNetwork, "blue", "Synced") != "True ReconcileSuccess"; }));
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Synced"), HasSubstr("it was in project p9"));
  EXPECT_THAT(world.service.Ids("networks"), IsEmpty());
  world.kube.Delete(kNetwork, kNamespace, "blue");
  world.Settle();
  EXPECT_FALSE(world.kube.Get(kNetwork, kNamespace, "blue").IsNull()) << "it may still be in the cloud";
}

TEST(Reconciler, MeasuresALife) {
  World world;
  world.kube.Put(kNetwork, Network(R"("mtu":1400)", R"(,"creationTimestamp":"2027-01-15T07:59:57Z")"));
  world.Settle();
  EXPECT_THAT(world.metrics.Text(), HasSubstr("_first_time_to_reconcile_seconds_sum{gvk=\"Kind=Network\"} 3\n"));
  EXPECT_THAT(world.metrics.Text(), HasSubstr("_first_time_to_readiness_seconds_sum{gvk=\"Kind=Network\"} 3\n"));
  // Not in the middle of a list, which would seem to take so long that the next comes much later.
  world.clock.AwaitWaiters(1);
  world.clock.Advance(absl::Seconds(20));
  world.kube.Put(kNetwork, Network(R"("mtu":1450)"));
  world.Settle();
  EXPECT_THAT(world.metrics.Text(), HasSubstr("_drift_seconds_count{gvk=\"Kind=Network\"} 0\n")) << "the user's own change";
  const std::string id = world.ExternalName(kNetwork, "blue");
  world.service.Put("networks", id, R"({"mtu":9000})");
  // The mirror has looked, and waits for its next time.
  world.clock.AwaitWaiters(1);
  world.clock.Advance(absl::Seconds(31));
  EXPECT_TRUE(world.SettleUntil([&] { return world.service.Get("networks", id)["mtu"].GetInt() == 1450; }));
  EXPECT_THAT(world.metrics.Text(), HasSubstr("_drift_seconds_sum{gvk=\"Kind=Network\"} 31\n"));
  world.kube.Delete(kNetwork, kNamespace, "blue");
  world.Settle();
  EXPECT_THAT(world.metrics.Text(), HasSubstr("_deletion_seconds_sum{gvk=\"Kind=Network\"} 51\n"));
  EXPECT_THAT(world.metrics.Text(), HasSubstr("_first_time_to_reconcile_seconds_count{gvk=\"Kind=Network\"} 1\n"));
}

TEST(Reconciler, OnlyObservesByParameters) {
  World world;
  world.service.Put("networks", "n-5",
                    R"({"name":"public","status":"ACTIVE","mtu":1500,"project_id":"p9","router:external":true})");
  world.kube.Put(kNetwork, absl::StrReplaceAll(Network(R"("name":"public")"),
                                               {{R"("spec":{)", R"("spec":{"managementPolicies":["Observe"],)"}}));
  world.Settle();
  EXPECT_EQ(world.ExternalName(kNetwork, "blue"), "n-5");
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
  world.kube.Delete(kNetwork, kNamespace, "blue");
  world.Settle();
  EXPECT_THAT(world.service.Ids("networks"), ElementsAre("n-5"));
}

}  // namespace
}  // namespace kupen::test
