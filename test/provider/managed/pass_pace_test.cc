// How often the cloud is asked, and how little is said about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "provider/json/json.h"
#include "test/provider/managed/world.h"

namespace kupen::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr char kNetwork[] = "network.Network";

using Answer = std::optional<absl::StatusOr<http::Response>>;

std::string Network(const std::string& name, const std::string& annotations = "", const std::string& more = "") {
  return absl::StrCat(R"({"metadata":{"name":")", name, R"(","namespace":"team","annotations":{)", annotations,
                      R"(}},"spec":{"forProvider":{})", more, "}}");
}

// Questions for this very object so far.
size_t Questions(const World& world, const std::string& id) {
  const std::vector<FakeCloud::Seen> seen = world.cloud.requests();
  return static_cast<size_t>(absl::c_count_if(seen, [&](const FakeCloud::Seen& one) {
    return one.request.method == "GET" && absl::EndsWith(one.request.target, absl::StrCat("/networks/", id));
  }));
}

TEST(Pace, AnObjectMayBeLookedAtMoreOftenThanThereAreLists) {
  World world;
  world.kube.Put(kNetwork, Network("blue", R"("crossplane.io/poll-interval":"10s")"));
  world.kube.Put(kNetwork, Network("red"));
  world.Settle();
  const std::string id = world.ExternalName(kNetwork, "blue");
  const size_t before = Questions(world, id);
  world.SettleAfter(absl::Seconds(9));
  EXPECT_EQ(Questions(world, id), before);
  world.service.Put("networks", id, R"({"status":"DOWN"})");
  world.SettleAfter(absl::Seconds(1));
  EXPECT_EQ(Questions(world, id), before + 1);
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "False Unavailable the cloud says DOWN");
  world.SettleAfter(absl::Seconds(10));
  EXPECT_EQ(Questions(world, id), before + 2);
  EXPECT_EQ(Questions(world, world.ExternalName(kNetwork, "red")), 0U);
}

TEST(Pace, NotAsOftenAsSomebodyLikes) {
  World world;
  world.kube.Put(kNetwork, Network("blue", R"("crossplane.io/poll-interval":"1ms")"));
  world.Settle();
  const std::string id = world.ExternalName(kNetwork, "blue");
  const size_t before = Questions(world, id);
  world.SettleAfter(absl::Seconds(4));
  EXPECT_EQ(Questions(world, id), before);
  world.SettleAfter(absl::Seconds(1));
  EXPECT_EQ(Questions(world, id), before + 1);
}

TEST(Pace, WhatIsNoDurationMeansNothing) {
  World world;
  world.kube.Put(kNetwork, Network("blue", R"("crossplane.io/poll-interval":"often")"));
  world.Settle();
  world.SettleAfter(absl::Seconds(20));
  EXPECT_EQ(Questions(world, world.ExternalName(kNetwork, "blue")), 0U);
}

TEST(Pace, ARequestedLookIsOneQuestionAndAnEvent) {
  World world;
  world.kube.Put(kNetwork, Network("blue"));
  world.Settle();
  const std::string id = world.ExternalName(kNetwork, "blue");
  world.service.Put("networks", id, R"({"status":"DOWN"})");
  world.kube.Put(kNetwork, Network("blue", R"("crossplane.io/reconcile-requested-at":"now-1")"));
  world.Settle();
  EXPECT_EQ(Questions(world, id), 1U);
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "False Unavailable the cloud says DOWN") << "not what a mirror knew";
  EXPECT_EQ(json::String(world.kube.Get(kNetwork, kNamespace, "blue"), {"status", "lastHandledReconcileAt"}), "now-1");
  EXPECT_THAT(world.kube.AwaitEvent("ReconcileRequestHandled"), Contains("ReconcileRequestHandled").Times(1));
  world.kube.Put(kNetwork, Network("blue", R"("some/other":"annotation")"));
  world.Settle();
  EXPECT_EQ(Questions(world, id), 1U);
}

TEST(Pace, ARequestIsNotHandledWhileTheCloudCannotBeAsked) {
  World world;
  world.kube.Put(kNetwork, Network("blue"));
  world.Settle();
  world.service.set_before([](const http::Request&) -> Answer {
    return absl::StatusOr<http::Response>(absl::UnavailableError("connection refused"));
  });
  world.kube.Put(kNetwork, Network("blue", R"("crossplane.io/reconcile-requested-at":"now-1")"));
  world.Settle();
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Synced"), HasSubstr("connection refused"));
  EXPECT_EQ(json::String(world.kube.Get(kNetwork, kNamespace, "blue"), {"status", "lastHandledReconcileAt"}), "");
}

TEST(Pace, WhoAsksUsToBeSlowIsLeftAloneByAll) {
  World world;
  std::atomic<int> posts = 0;
  world.service.set_before([&posts](const http::Request& request) -> Answer {
    if (request.method != "POST" || ++posts > 1) return std::nullopt;
    return absl::StatusOr<http::Response>(
        http::Response{.status = 429, .headers = {{"Retry-After", "10"}}, .body = R"({"overLimit":{"message":"slow down"}})"});
  });
  for (const char* name : {"a", "b", "c", "d"}) world.kube.Put(kNetwork, Network(name));
  world.Settle();
  EXPECT_EQ(posts, 1);
  world.SettleAfter(absl::Seconds(9));
  EXPECT_EQ(posts, 1);
  world.SettleAfter(absl::Seconds(2));
  EXPECT_THAT(world.service.Ids("networks"), SizeIs(4));
  EXPECT_EQ(posts, 5);
  for (const char* name : {"a", "b", "c", "d"}) EXPECT_EQ(world.Condition(kNetwork, name, "Ready"), "True Available");
  world.kube.AwaitEvents(4);
  EXPECT_THAT(world.kube.writes(), SizeIs(16)) << "four each, as if nothing had been";
}

// As Nova answers: no more than the id.
Answer ShortAnswer(const World& world, const http::Request& request) {
  if (request.method != "POST") return std::nullopt;
  return absl::StatusOr<http::Response>(http::Response{
      .status = 202, .body = absl::StrCat(R"({"network":{"id":")", world.service.Ids("networks").back(), R"("}})")});
}

TEST(Pace, ManyNewObjectsOfWhichOnlyTheIdIsKnownAreLookedAtTogether) {
  World world;
  world.service.set_after([&world](const http::Request& request) { return ShortAnswer(world, request); });
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  for (const std::string& name : names) world.kube.Put(kNetwork, Network(name));
  world.Settle();
  world.clock.Advance(absl::Seconds(2));
  EXPECT_TRUE(world.SettleUntil([&] {
    return absl::c_all_of(names,
                          [&](const auto& name) { return world.Condition(kNetwork, name, "Ready") == "True Available"; });
  }));
  for (const std::string& name : names) EXPECT_EQ(Questions(world, world.ExternalName(kNetwork, name)), 0U) << name;
}

TEST(Pace, ANewObjectThatNoLookShowsIsAskedFor) {
  World world;
  world.service.set_after([&world](const http::Request& request) { return ShortAnswer(world, request); });
  world.service.set_before([](const http::Request& request) -> Answer {
    const bool is_list = request.method == "GET" && absl::StrContains(request.target, "?");
    if (!is_list) return std::nullopt;
    return absl::StatusOr<http::Response>(http::Response{.status = 500, .body = ""});
  });
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  for (const std::string& name : names) world.kube.Put(kNetwork, Network(name));
  world.Settle();
  for (int i = 0; i < 5; ++i) world.SettleAfter(absl::Seconds(2));
  for (const std::string& name : names) EXPECT_EQ(world.Condition(kNetwork, name, "Ready"), "True Available") << name;
}

TEST(Pace, SlownessThatLastsIsSaid) {
  World world;
  world.service.set_before([](const http::Request& request) -> Answer {
    if (request.method != "POST") return std::nullopt;
    return absl::StatusOr<http::Response>(http::Response{.status = 429, .headers = {{"Retry-After", "20"}}, .body = ""});
  });
  world.kube.Put(kNetwork, Network("blue"));
  world.Settle();
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Synced"), "");
  for (int i = 0; i < 3; ++i) world.SettleAfter(absl::Seconds(20));
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Synced"), "False ReconcileError create failed: neutron: 429 Too Many Requests");
}

TEST(Pace, AStatusThatIsRefusedIsWrittenWithoutWhatTheCloudSays) {
  World world;
  world.kube.RefuseStatusWith("atProvider");
  world.kube.Put(kNetwork, Network("blue"));
  world.Settle();
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
  EXPECT_EQ(json::Find(world.kube.Get(kNetwork, kNamespace, "blue"), {"status", "atProvider"}), nullptr);
  EXPECT_THAT(world.kube.AwaitEvent("CannotUpdateManagedResource"), Contains("CannotUpdateManagedResource").Times(1));
}

// Whatever the policies: federations revert what others write to a spec.
TEST(Pace, NothingIsEverWrittenToASpec) {
  World world;
  for (const char* policies : {R"(["*"])", R"(["Observe","Create","Update","LateInitialize","Delete"])"}) {
    world.kube.Put(kNetwork, Network(absl::StrContains(policies, "Late") ? "late" : "all", "",
                                     absl::StrCat(R"(,"managementPolicies":)", policies)));
  }
  world.Settle();
  for (const char* name : {"late", "all"}) EXPECT_EQ(world.Condition(kNetwork, name, "Ready"), "True Available");
  EXPECT_THAT(world.kube.written_text(), AllOf(Not(HasSubstr("\"spec\"")), Not(HasSubstr("forProvider"))));
}

TEST(Pace, WhatAnEarlierProcessHasSaidIsNotSaidAgain) {
  World world;
  world.kube.Put(kNetwork, Network("paused", R"("crossplane.io/paused":"true")"));
  world.kube.Put(kNetwork, Network("refused", "", R"(,"managementPolicies":["Create"])"));
  world.Settle();
  EXPECT_THAT(world.kube.AwaitEvents(2), SizeIs(2));
  const size_t writes = world.kube.writes().size();
  world.Restart();
  world.Settle();
  world.kube.Put(kNetwork, Network("refused"));
  world.Settle();
  EXPECT_THAT(world.kube.AwaitEvents(3), ElementsAre(testing::_, testing::_, "CreatedExternalResource"));
  EXPECT_EQ(world.kube.writes().size(), writes + 4) << world.kube.written_text();
  EXPECT_THAT(world.kube.written_text(),
              HasSubstr(absl::StrCat(R"("annotations":{"external-name":")", world.ExternalName(kNetwork, "refused"))));
}

TEST(Pace, ARefusalIsSaidUntilTheNextProcessKnowsBetter) {
  World world;
  world.service.set_before([](const http::Request& request) -> Answer {
    if (request.method != "POST") return std::nullopt;
    return absl::StatusOr<http::Response>(http::Response{
        .status = 400, .headers = {}, .body = R"({"NeutronError":{"type":"Bad","message":"it is wrong","detail":""}})"});
  });
  world.kube.Put(kNetwork, Network("blue"));
  world.Settle();
  const std::string refused = world.Condition(kNetwork, "blue", "Synced");
  EXPECT_THAT(refused, HasSubstr("it is wrong"));
  EXPECT_THAT(world.kube.AwaitEvents(1), SizeIs(1));
  const size_t writes = world.kube.writes().size();
  world.Restart();
  // Until two looks agree that an earlier create had no effect; then it is refused once more.
  for (int i = 0; i < 3; ++i) world.SettleAfter(absl::Seconds(31));
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Synced"), refused);
  EXPECT_EQ(world.kube.writes().size(), writes) << world.kube.written_text();
}

TEST(Pace, WhatDiffersFromTryToTryIsNoNews) {
  World world;
  int tries = 0;
  world.service.set_before([&tries](const http::Request& request) -> Answer {
    if (request.method != "POST") return std::nullopt;
    return absl::StatusOr<http::Response>(
        http::Response{.status = 400,
                       .headers = {},
                       .body = absl::StrCat(R"({"NeutronError":{"type":"Bad","message":"it broke at 2027-01-15T08:00:0)",
                                            ++tries % 10, R"(Z","detail":""}})")});
  });
  world.kube.Put(kNetwork, Network("blue"));
  world.Settle();
  for (int i = 0; i < 3; ++i) world.SettleAfter(absl::Minutes(6));
  world.service.set_before(nullptr);
  world.SettleAfter(absl::Minutes(6));
  EXPECT_GE(tries, 4);
  EXPECT_THAT(world.kube.AwaitEvent("CreatedExternalResource"),
              ElementsAre("CannotCreateExternalResource", "CreatedExternalResource"));
}

}  // namespace
}  // namespace kupen::test
