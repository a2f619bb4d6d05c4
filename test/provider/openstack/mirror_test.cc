#include "provider/openstack/mirror.h"

#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::openstack {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RestSpec Networks() {
  return {.service = "network", .path = "/networks", .item_key = "network", .list_key = "networks", .page_size = 0};
}

// A collection of networks in a fake cloud, some of which lists may hide.
class MirrorTest : public testing::Test {
 protected:
  MirrorTest() {
    cloud_.Serve([this](const http::Request& request) { return Answer(request); });
  }

  Mirror NewMirror(BusyPoll busy_poll = BusyPoll::kGetEach) {
    MirrorSpec spec;
    spec.rest = Networks();
    spec.fields = {"id", "status"};
    spec.marker_of = [](const rapidjson::Value& item) { return std::string(json::String(item, {"description"})); };
    spec.busy_poll = busy_poll;
    spec.list_interval = list_interval_;
    spec.says_nothing = [](const rapidjson::Value& item) { return json::String(item, {"status"}) == "UNKNOWN"; };
    return Mirror(session_, std::move(spec), clock_,
                  {.on_change = [this](const MirrorChange& change) { changes_.push_back(change.id); },
                   .on_doubt = [this](const std::string& message) { doubts_.push_back(message); }});
  }

  void Add(const std::string& id, const std::string& status = "ACTIVE") {
    networks_[id] = absl::StrCat(R"({"id": ")", id, R"(", "status": ")", status, R"(", "description": "m-)", id, R"("})");
  }

  // Networks n0, n1, …, all tracked, and listed once.
  void AddMany(Mirror& mirror, int count) {
    for (int i = 0; i < count; ++i) {
      Add(absl::StrCat("n", i));
      mirror.Track(absl::StrCat("n", i));
    }
    ASSERT_TRUE(mirror.PollDue({}));
    Forget();
  }

  // The requests since the last call, and what was reported since.
  std::vector<std::string> Asked() {
    std::vector<std::string> targets;
    const std::vector<test::FakeCloud::Seen> seen = cloud_.requests();
    for (; counted_ < seen.size(); ++counted_) targets.push_back(seen[counted_].request.target);
    return targets;
  }
  void Forget() {
    Asked();
    changes_.clear();
  }

  static Presence PresenceOf(const Mirror& mirror, const std::string& id) {
    return mirror.Find(id).value_or(MirroredObject()).presence;
  }

  test::FakeClock clock_;
  test::FakeCloud cloud_;
  Session session_{cloud_.config(), cloud_.transports(), clock_};
  std::map<std::string, std::string> networks_;
  // Not in lists, but there.
  std::set<std::string> hidden_;
  absl::Duration list_takes_;
  absl::Duration list_interval_ = absl::Seconds(30);
  int broken_lists_ = 0;
  std::vector<std::string> changes_;
  std::vector<std::string> doubts_;

 private:
  absl::StatusOr<http::Response> Answer(const http::Request& request) {
    absl::string_view target = request.target;
    if (absl::ConsumePrefix(&target, "/v2.0/networks/")) {
      const auto found = networks_.find(std::string(target));
      if (found == networks_.end())
        return http::Response{.status = 404, .body = R"({"NeutronError": {"message": "not found"}})"};
      return http::Response{.status = 200, .body = absl::StrCat(R"({"network": )", found->second, "}")};
    }
    if (broken_lists_ > 0) {
      --broken_lists_;
      return http::Response{.status = 500};
    }
    clock_.Advance(list_takes_);
    std::vector<std::string> listed;
    for (const auto& [id, body] : networks_) {
      const bool wanted = !absl::StrContains(target, "id=") || absl::StrContains(target, absl::StrCat("id=", id)) ||
                          absl::StrContains(target, absl::StrCat("in%3A", id)) ||
                          absl::StrContains(target, absl::StrCat("%2C", id));
      if (wanted && !hidden_.contains(id)) listed.push_back(body);
    }
    return http::Response{.status = 200, .body = absl::StrCat(R"({"networks": [)", absl::StrJoin(listed, ","), "]}")};
  }

  size_t counted_ = 0;
};

TEST_F(MirrorTest, ListsAtOnceAndThenEvery30Seconds) {
  Mirror mirror = NewMirror();
  Add("a");
  EXPECT_TRUE(mirror.PollDue({}));
  EXPECT_THAT(Asked(), ElementsAre("/v2.0/networks"));
  EXPECT_THAT(changes_, ElementsAre("a"));
  for (int second = 1; second < 30; ++second) {
    clock_.Advance(absl::Seconds(1));
    EXPECT_FALSE(mirror.PollDue({}));
  }
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(mirror.PollDue({}));
  EXPECT_THAT(changes_, SizeIs(1)) << "nothing changed";
}

TEST_F(MirrorTest, SlowListsAreRarer) {
  Mirror mirror = NewMirror();
  list_takes_ = absl::Seconds(10);
  EXPECT_TRUE(mirror.PollDue({}));
  clock_.Advance(absl::Seconds(199));
  EXPECT_FALSE(mirror.PollDue({}));
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(mirror.PollDue({}));
}

TEST_F(MirrorTest, SettledObjectsCostOnlyTheList) {
  Mirror mirror = NewMirror();
  AddMany(mirror, 1000);
  for (int i = 0; i < 10; ++i) {
    clock_.Advance(absl::Seconds(30));
    mirror.PollDue({});
  }
  EXPECT_THAT(Asked(), SizeIs(10));
  EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(MirrorTest, ChangesBehindOurBackAreReported) {
  Mirror mirror = NewMirror();
  AddMany(mirror, 3);
  Add("n1", "DOWN");
  clock_.Advance(absl::Seconds(30));
  mirror.PollDue({});
  EXPECT_THAT(changes_, ElementsAre("n1"));
}

TEST_F(MirrorTest, MissingObjectThatIsThereIsNotGone) {
  Mirror mirror = NewMirror();
  AddMany(mirror, 3);
  hidden_ = {"n1"};
  clock_.Advance(absl::Seconds(30));
  mirror.PollDue({});
  EXPECT_THAT(Asked(), ElementsAre("/v2.0/networks", "/v2.0/networks/n1"));
  EXPECT_EQ(PresenceOf(mirror, "n1"), Presence::kPresent);
  EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(MirrorTest, MissingObjectThatIsNotThereIsGone) {
  Mirror mirror = NewMirror();
  AddMany(mirror, 3);
  networks_.erase("n1");
  clock_.Advance(absl::Seconds(30));
  mirror.PollDue({});
  EXPECT_EQ(PresenceOf(mirror, "n1"), Presence::kGone);
  EXPECT_THAT(changes_, ElementsAre("n1"));
  Forget();
  clock_.Advance(absl::Seconds(30));
  mirror.PollDue({});
  EXPECT_THAT(Asked(), SizeIs(1)) << "it is not asked about again";
}

TEST_F(MirrorTest, BrokenListProvesNothing) {
  Mirror mirror = NewMirror();
  AddMany(mirror, 3);
  networks_.clear();
  broken_lists_ = 1;
  clock_.Advance(absl::Seconds(30));
  mirror.PollDue({});
  EXPECT_THAT(Asked(), ElementsAre("/v2.0/networks"));
  EXPECT_EQ(PresenceOf(mirror, "n1"), Presence::kPresent);
}

TEST_F(MirrorTest, MassDisappearanceIsDoubted) {
  Mirror mirror = NewMirror();
  AddMany(mirror, 500);
  for (const auto& [id, body] : networks_) hidden_.insert(id);
  for (int i = 0; i < 3; ++i) {
    clock_.Advance(absl::Seconds(30));
    mirror.PollDue({});
  }
  EXPECT_THAT(doubts_, ElementsAre(HasSubstr("neutron: 500 of 500 networks are missing from the list at once")));
  EXPECT_THAT(changes_, IsEmpty()) << "a GET shows that they are there";
  EXPECT_EQ(PresenceOf(mirror, "n1"), Presence::kPresent);
}

TEST_F(MirrorTest, MassDeletionIsBelievedWhenASecondListAgrees) {
  Mirror mirror = NewMirror();
  AddMany(mirror, 20);
  networks_.clear();
  clock_.Advance(absl::Seconds(30));
  mirror.PollDue({});
  EXPECT_THAT(Asked(), SizeIs(1));
  EXPECT_THAT(changes_, IsEmpty());
  EXPECT_EQ(cloud_.logins(), 1);
  clock_.Advance(absl::Seconds(30));
  mirror.PollDue({});
  EXPECT_EQ(cloud_.logins(), 2) << "the credentials were verified";
  EXPECT_THAT(changes_, SizeIs(20));
  EXPECT_EQ(PresenceOf(mirror, "n1"), Presence::kGone);
  EXPECT_THAT(doubts_, SizeIs(1));
}

TEST_F(MirrorTest, NothingIsBelievedWithOtherRoles) {
  Mirror mirror = NewMirror();
  AddMany(mirror, 20);
  // Other people's objects look deleted to who lost the role: 404 to a GET, too.
  const std::map<std::string, std::string> there = std::exchange(networks_, {});
  cloud_.set_roles(R"([{"name": "reader"}])");
  for (int i = 0; i < 5; ++i) {
    clock_.Advance(absl::Seconds(30));
    mirror.PollDue({});
  }
  EXPECT_THAT(changes_, IsEmpty());
  networks_ = there;
  cloud_.set_roles(R"([{"name": "admin"}])");
  clock_.Advance(absl::Seconds(30));
  mirror.PollDue({});
  EXPECT_THAT(changes_, IsEmpty());
  EXPECT_THAT(doubts_, SizeIs(1));
}

TEST_F(MirrorTest, AFewOfManyAreNoMassDisappearance) {
  Mirror mirror = NewMirror();
  AddMany(mirror, 400);
  for (int i = 0; i < 20; ++i) networks_.erase(absl::StrCat("n", i));
  clock_.Advance(absl::Seconds(30));
  mirror.PollDue({});
  EXPECT_THAT(changes_, SizeIs(20)) << "no more than 5 %";
  EXPECT_THAT(doubts_, IsEmpty());
}

TEST_F(MirrorTest, BusyObjectsAreLookedAtEvery2Seconds) {
  Mirror mirror = NewMirror();
  AddMany(mirror, 3);
  mirror.SetBusy("n1", true);
  EXPECT_FALSE(mirror.PollDue({})) << "not at once";
  clock_.Advance(absl::Seconds(2));
  EXPECT_TRUE(mirror.PollDue({}));
  Add("n1", "DOWN");
  clock_.Advance(absl::Seconds(2));
  EXPECT_TRUE(mirror.PollDue({}));
  EXPECT_THAT(Asked(), ElementsAre("/v2.0/networks/n1", "/v2.0/networks/n1"));
  EXPECT_THAT(changes_, ElementsAre("n1"));
  mirror.SetBusy("n1", false);
  clock_.Advance(absl::Seconds(2));
  mirror.PollDue({});
  clock_.Advance(absl::Seconds(2));
  EXPECT_FALSE(mirror.PollDue({}));
  EXPECT_THAT(Asked(), IsEmpty());
}

TEST_F(MirrorTest, BusyObjectThatIsGone) {
  Mirror mirror = NewMirror();
  AddMany(mirror, 3);
  mirror.SetBusy("n1", true);
  networks_.erase("n1");
  clock_.Advance(absl::Seconds(2));
  mirror.PollDue({});
  EXPECT_EQ(PresenceOf(mirror, "n1"), Presence::kGone);
}

TEST_F(MirrorTest, ManyBusyObjectsAreAskedForTogether) {
  Mirror mirror = NewMirror(BusyPoll::kRepeatedIds);
  AddMany(mirror, 150);
  for (int i = 0; i < 150; ++i) mirror.SetBusy(absl::StrCat("n", i), true);
  networks_.erase("n7");
  clock_.Advance(absl::Seconds(2));
  mirror.PollDue({});
  const std::vector<std::string> asked = Asked();
  ASSERT_THAT(asked, SizeIs(3)) << "two lists of 100 and 50, and one GET for what they lacked";
  EXPECT_THAT(changes_, ElementsAre("n7"));
}

TEST_F(MirrorTest, GlancesWayToAskForSome) {
  Mirror mirror = NewMirror(BusyPoll::kIdsIn);
  AddMany(mirror, 4);
  for (int i = 0; i < 4; ++i) mirror.SetBusy(absl::StrCat("n", i), true);
  clock_.Advance(absl::Seconds(2));
  mirror.PollDue({});
  EXPECT_THAT(Asked(), ElementsAre("/v2.0/networks?id=in%3An0%2Cn1%2Cn2%2Cn3"));
}

TEST_F(MirrorTest, NovasWayToAskForChanges) {
  Mirror mirror = NewMirror(BusyPoll::kChangesSince);
  AddMany(mirror, 4);
  for (int i = 0; i < 4; ++i) mirror.SetBusy(absl::StrCat("n", i), true);
  Add("n1", "DELETED");
  clock_.Advance(absl::Seconds(2));
  mirror.PollDue({});
  // A minute before the clock's 2027-01-15T08:00:02Z.
  EXPECT_THAT(Asked(), ElementsAre("/v2.0/networks?changes-since=2027-01-15T07%3A59%3A02Z"));
  EXPECT_EQ(PresenceOf(mirror, "n1"), Presence::kGone);
}

TEST_F(MirrorTest, TooManyForSingleQuestionsAreListed) {
  Mirror mirror = NewMirror(BusyPoll::kGetEach);
  AddMany(mirror, 60);
  for (int i = 0; i < 60; ++i) mirror.SetBusy(absl::StrCat("n", i), true);
  clock_.Advance(absl::Seconds(2));
  mirror.PollDue({});
  EXPECT_THAT(Asked(), ElementsAre("/v2.0/networks"));
}

TEST_F(MirrorTest, RefreshListsAnewForAMarker) {
  Mirror mirror = NewMirror();
  const std::jthread thread([&mirror](const std::stop_token& stop) { mirror.Run(stop); });
  ASSERT_TRUE(mirror.Refresh({}).ok());
  EXPECT_THAT(mirror.FindByMarker("m-a"), IsEmpty());
  Add("a");
  ASSERT_TRUE(mirror.Refresh({}).ok());
  EXPECT_THAT(mirror.FindByMarker("m-a"), ElementsAre("a"));
  broken_lists_ = 1;
  EXPECT_EQ(mirror.Refresh({}).code(), absl::StatusCode::kInternal) << "a list that failed is no answer";
}

TEST_F(MirrorTest, RefreshEndsWithItsStop) {
  Mirror mirror = NewMirror();
  const std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(mirror.Refresh(stop.get_token()).code(), absl::StatusCode::kCancelled);
}

TEST_F(MirrorTest, ObjectsMayGoByName) {
  cloud_.Serve([](const http::Request& request) -> absl::StatusOr<http::Response> {
    if (request.target == "/v2.1/os-keypairs") {
      return http::Response{.status = 200, .body = R"({"keypairs": [{"keypair": {"name": "a", "type": "ssh"}}]})"};
    }
    return http::Response{.status = 200, .body = R"({"keypair": {"name": "a", "id": 3, "type": "x509"}})"};
  });
  MirrorSpec spec;
  spec.rest = {.service = "compute",
               .path = "/os-keypairs",
               .item_key = "keypair",
               .list_key = "keypairs",
               .id_key = "name",
               .page_size = 0};
  spec.fields = {"name", "type"};
  spec.marker_of = [](const rapidjson::Value&) { return ""; };
  Mirror mirror(session_, std::move(spec), clock_,
                {.on_change = [this](const MirrorChange& change) { changes_.push_back(change.id); }, .on_doubt = nullptr});
  mirror.Track("a");
  EXPECT_TRUE(mirror.PollDue({}));
  EXPECT_EQ(*mirror.Find("a").value_or(MirroredObject()).body, R"({"name":"a","type":"ssh"})");
  mirror.SetBusy("a", true);
  clock_.Advance(absl::Seconds(2));
  EXPECT_TRUE(mirror.PollDue({}));
  EXPECT_EQ(*mirror.Find("a").value_or(MirroredObject()).body, R"({"name":"a","type":"x509"})");
  EXPECT_THAT(Asked(), ElementsAre("/v2.1/os-keypairs", "/v2.1/os-keypairs/a"));
}

TEST_F(MirrorTest, ListsAsOftenAsItIsTold) {
  list_interval_ = absl::Minutes(2);
  Mirror mirror = NewMirror();
  ASSERT_TRUE(mirror.PollDue({}));
  clock_.Advance(absl::Seconds(119));
  EXPECT_FALSE(mirror.PollDue({}));
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(mirror.PollDue({}));
}

// As Nova's, while a cell is down: rows without anything but their ids.
TEST_F(MirrorTest, WhatAListSaysNothingOfKeepsItsMarkerAndProvesNothing) {
  Mirror mirror = NewMirror();
  Add("a");
  mirror.Track("a");
  ASSERT_TRUE(mirror.PollDue({}));
  networks_["a"] = R"({"id": "a", "status": "UNKNOWN"})";
  networks_["b"] = R"({"id": "b", "status": "UNKNOWN"})";
  std::jthread thread([&mirror](const std::stop_token& stop) { mirror.Run(stop); });
  const absl::Status refreshed = mirror.Refresh({});
  EXPECT_TRUE(absl::IsUnavailable(refreshed)) << refreshed;
  EXPECT_THAT(std::string(refreshed.message()), HasSubstr("says nothing of 2 networks"));
  EXPECT_THAT(mirror.FindByMarker("m-a"), ElementsAre("a"));
  EXPECT_EQ(PresenceOf(mirror, "a"), Presence::kPresent);
}

}  // namespace
}  // namespace kupen::openstack
