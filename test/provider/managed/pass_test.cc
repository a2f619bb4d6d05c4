#include "provider/managed/pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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
using testing::StartsWith;

constexpr char kNetwork[] = "network.Network";
constexpr char kFlavor[] = "compute.Flavor";
constexpr char kFinalizers[] = R"("finalizers":["finalizer.managedresource.crossplane.io"])";

using Answer = std::optional<absl::StatusOr<http::Response>>;

std::string Object(const std::string& spec, const std::string& metadata = "", const std::string& status = "") {
  return absl::StrCat(R"({"metadata":{"name":"blue","namespace":"team")", metadata.empty() ? "" : ",", metadata,
                      R"(},"spec":{)", spec, "}", status.empty() ? "" : ",\"status\":", status, "}");
}

std::string Parameters(const std::string& parameters) { return absl::StrCat(R"("forProvider":{)", parameters, "}"); }

Answer Reply(int status, const std::string& body) {
  return absl::StatusOr<http::Response>(http::Response{.status = status, .headers = {}, .body = body});
}

// Before a pass is given its turn, so that nothing is taken for news that goes by within seconds.
constexpr char kOld[] = R"({"conditions":[]})";

TEST(Pass, ADeletionLooksForNothingByItsParameters) {
  World world;
  world.service.Put("networks", "n-5", R"({"name":"public","status":"ACTIVE","project_id":"p1"})");
  world.kube.Put(
      kNetwork,
      Object(absl::StrCat(R"("managementPolicies":["Observe","Delete"],)", Parameters(R"("name":"public")")), kFinalizers));
  world.kube.Delete(kNetwork, kNamespace, "blue");
  world.Settle();
  world.SettleAfter(absl::Seconds(61));
  EXPECT_THAT(world.service.Ids("networks"), ElementsAre("n-5"));
  EXPECT_TRUE(world.kube.Get(kNetwork, kNamespace, "blue").IsNull());
}

TEST(Pass, WhatMayBeChangedIsNeverFoundByItsNameAlone) {
  World world;
  world.service.Put("networks", "n-5", R"({"name":"public","status":"ACTIVE","project_id":"p1"})");
  world.kube.Put(kNetwork, Object(absl::StrCat(R"("managementPolicies":["Observe","Update"],)",
                                               Parameters(R"("name":"public","mtu":1400)"))));
  world.Settle();
  EXPECT_EQ(world.ExternalName(kNetwork, "blue"), "");
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Synced"), HasSubstr("needs the annotation crossplane.io/external-name"));
  EXPECT_THAT(world.service.requests(), Not(Contains("PUT /networks")));
}

TEST(Pass, WhatIsOnlyObservedMayVanish) {
  World world;
  world.service.Put("networks", "n-5", R"({"name":"public","status":"ACTIVE","project_id":"p1"})");
  world.kube.Put(kNetwork, Object(absl::StrCat(R"("managementPolicies":["Observe"],)", Parameters(R"("name":"public")"))));
  world.Settle();
  world.service.Remove("networks", "n-5");
  world.Restart();
  EXPECT_TRUE(world.SettleUntil([&] { return absl::StartsWith(world.Condition(kNetwork, "blue", "Ready"), "False"); }));
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "False Unavailable");
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Synced"), HasSubstr("there is no Network n-5 in the cloud"));
}

TEST(Pass, WhatAnObjectIsMadeOfIsRecordedBeforeTheCreate) {
  World world;
  std::string recorded;
  world.service.set_before([&](const http::Request& request) -> Answer {
    if (request.method != "POST") return std::nullopt;
    const rapidjson::Document network = world.kube.Get(kNetwork, kNamespace, "blue");
    recorded = std::string(json::String(network, {"metadata", "annotations", "m.kupenstack.io/created-with"}));
    return std::nullopt;
  });
  world.kube.Put(kNetwork, Object(Parameters(R"("networkType":"vlan")")));
  world.Settle();
  EXPECT_THAT(recorded, StartsWith("networkType="));
  world.kube.AwaitEvents(1);
  EXPECT_THAT(world.kube.writes(), SizeIs(4));
}

TEST(Pass, AnErrorStaysToBeSeenWhileWeLookWhetherItHadAnEffect) {
  World world;
  int posts = 0;
  world.service.set_before([&posts](const http::Request& request) -> Answer {
    if (request.method != "POST") return std::nullopt;
    ++posts;
    return Reply(500, R"({"NeutronError":{"type":"HTTPInternalServerError","message":"it broke","detail":""}})");
  });
  world.kube.Put(kNetwork, Object(Parameters("")));
  world.Settle();
  world.SettleAfter(absl::Seconds(4));
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Synced"), "False ReconcileError create failed: neutron: 500 it broke");
  const size_t writes = world.kube.writes().size();
  for (int i = 0; i < 30; ++i) world.SettleAfter(absl::Seconds(5));
  EXPECT_GE(posts, 2);
  EXPECT_THAT(world.kube.AwaitEvents(1), ElementsAre("CannotCreateExternalResource"));
  // But for the event.
  EXPECT_LE(world.kube.writes().size(), writes + 1) << world.kube.written_text();
}

TEST(Pass, AConflictIsNoNews) {
  World world;
  world.kube.Put(kNetwork, Object(Parameters(""), "", kOld));
  world.kube.set_late(true);
  world.kube.Put(kNetwork, Object(Parameters(R"("mtu":1400)")));
  world.Settle();
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Synced"), "");
  world.kube.CatchUp();
  world.Settle();
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
  EXPECT_THAT(world.kube.AwaitEvents(1), ElementsAre("CreatedExternalResource"));
}

TEST(Pass, AnAnswerWithoutAnIdIsLookedInto) {
  World world;
  world.service.set_after([](const http::Request& request) -> Answer {
    if (request.method != "POST") return std::nullopt;
    return Reply(201, R"({"network":{}})");
  });
  world.kube.Put(kNetwork, Object(Parameters("")));
  world.Settle();
  world.SettleAfter(absl::Seconds(2));
  ASSERT_THAT(world.service.Ids("networks"), SizeIs(1));
  EXPECT_EQ(world.ExternalName(kNetwork, "blue"), world.service.Ids("networks")[0]);
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
}

TEST(Pass, OfTwoWithOurMarkerTheOlderStaysAndTheOtherGoes) {
  World world;
  world.kube.Put(kNetwork, Object(Parameters(""), kFinalizers));
  const std::string marked = R"("status":"ACTIVE","description":"kupen:c1057e40:00000000-0000-4000-8000-000000000001")";
  world.service.Put("networks", "n-2", absl::StrCat(R"({"created_at":"2027-02-01T00:00:00Z",)", marked, "}"));
  world.service.Put("networks", "n-9", absl::StrCat(R"({"created_at":"2027-01-01T00:00:00Z",)", marked, "}"));
  world.Settle();
  EXPECT_EQ(world.ExternalName(kNetwork, "blue"), "n-9");
  EXPECT_THAT(world.kube.AwaitEvents(1), ElementsAre("FoundTwins"));
  EXPECT_THAT(world.kube.written_text(), HasSubstr("n-9 stays, n-2 has been deleted"));
  EXPECT_THAT(world.service.Ids("networks"), ElementsAre("n-9"));
}

TEST(Pass, TheUserMayNameAnotherObject) {
  World world;
  world.service.Put("networks", "n-6", R"({"name":"six","status":"ACTIVE"})");
  world.service.Put("networks", "n-7", R"({"name":"seven","status":"ACTIVE"})");
  world.kube.Put(kNetwork, Object(Parameters(""), R"("annotations":{"crossplane.io/external-name":"n-7"})"));
  world.Settle();
  world.kube.Put(kNetwork, Object(Parameters(""), R"("annotations":{"crossplane.io/external-name":"n-6"})"));
  world.Settle();
  EXPECT_EQ(world.ExternalName(kNetwork, "blue"), "n-6");
  EXPECT_EQ(json::String(world.kube.Get(kNetwork, kNamespace, "blue"), {"status", "atProvider", "id"}), "n-6");
}

TEST(Pass, OtherCredentialsCostAListNotAQuestionPerObject) {
  World world;
  world.kube.Put(kNetwork, Object(Parameters("")));
  world.Settle();
  std::atomic<int> questions = 0;
  std::atomic<int> lists = 0;
  world.service.set_before([&](const http::Request& request) -> Answer {
    if (absl::StrContains(request.target, "/networks/")) ++questions;
    if (absl::StrContains(request.target, "/networks?")) ++lists;
    return std::nullopt;
  });
  world.ReplaceScope();
  EXPECT_TRUE(world.SettleUntil([&] { return lists > 0; }));
  world.SettleAfter(absl::Seconds(1));
  EXPECT_EQ(questions, 0);
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
}

TEST(Pass, ADeletionThatMustLookFirstSaysSo) {
  World world;
  world.kube.Put(kNetwork, Object(Parameters(""), kFinalizers));
  world.kube.Delete(kNetwork, kNamespace, "blue");
  world.Settle();
  world.SettleAfter(absl::Seconds(4));
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Ready"), StartsWith("False Deleting"));
  world.SettleAfter(absl::Seconds(61));
  EXPECT_TRUE(world.kube.Get(kNetwork, kNamespace, "blue").IsNull());
}

TEST(Pass, AReplacementIsToldOnceAndMayBeDeletedAtOnce) {
  World world;
  const auto flavor = [](int vcpus) {
    return Object(
        absl::StrCat(R"("replacePolicy":"WhenRequired",)", Parameters(absl::StrCat(R"("ram":512,"disk":1,"vcpus":)", vcpus))));
  };
  world.kube.Put(kFlavor, flavor(1));
  world.Settle();
  ASSERT_EQ(world.Condition(kFlavor, "blue", "Ready"), "True Available");
  const std::string id = world.ExternalName(kFlavor, "blue");
  // A service that takes its time.
  world.service.set_before(
      [](const http::Request& request) -> Answer { return request.method == "DELETE" ? Reply(202, "") : std::nullopt; });
  world.kube.Put(kFlavor, flavor(2));
  world.Settle();
  world.kube.Put(kFlavor, flavor(2));
  world.Settle();
  world.service.Remove("flavors", id);
  world.clock.Advance(absl::Seconds(3));
  ASSERT_TRUE(world.SettleUntil([&] { return !world.service.Ids("flavors").empty(); }));
  EXPECT_EQ(world.service.Get("flavors", world.service.Ids("flavors")[0])["vcpus"].GetInt(), 2);
  world.service.set_before(nullptr);
  world.kube.Delete(kFlavor, kNamespace, "blue");
  world.Settle();
  EXPECT_THAT(world.service.Ids("flavors"), IsEmpty());
  EXPECT_THAT(world.kube.AwaitEvent("DeletedExternalResource"), Contains("ReplacingExternalResource").Times(1));
}

}  // namespace
}  // namespace kupen::test
