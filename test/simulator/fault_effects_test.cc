// What each fault does to those who use the cloud.
#include <chrono>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "provider/openstack/error.h"
#include "test/fakes/fake_clock.h"
#include "test/simulator/simulator.h"
#include "test/simulator/user_of_simulator.h"

namespace kupen::simulator {
namespace {

using Effect = Fault::Effect;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kNetworks[] = "/network/v2.0/networks";
constexpr char kServers[] = "/compute/v2.1/servers";
constexpr char kNewNetwork[] = R"({"network": {"name": "blue"}})";

class FaultEffects : public testing::Test {
 protected:
  size_t CountNetworks() const { return simulator_.CountObjects("network/networks"); }
  // The status of one server, or of an image.
  std::string StatusOf(const std::string& server) const {
    return std::string(json::String(demo_.Get(absl::StrCat(kServers, "/", server), kNova), {"server", "status"}));
  }

  test::FakeClock clock_;
  Simulator simulator_{{.clock = &clock_}};
  UserOfSimulator demo_{simulator_, "demo"};
  const size_t networks_ = CountNetworks();
};

// How long it takes at least.
absl::Duration TimeOf(const UserOfSimulator& user) {
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(user.Send("GET", kNetworks).status, 200);
  return absl::FromChrono(std::chrono::steady_clock::now() - began);
}

TEST_F(FaultEffects, LatencyDelaysEveryAnswer) {
  simulator_.SetLatency(absl::Milliseconds(20));
  EXPECT_GE(TimeOf(demo_), absl::Milliseconds(20));
  EXPECT_GE(TimeOf(demo_), absl::Milliseconds(20));
}

TEST_F(FaultEffects, DelayAddsToTheLatencyOfSome) {
  simulator_.SetLatency(absl::Milliseconds(20));
  simulator_.AddFault({.effect = Effect::kDelay, .service = "network", .times = 1, .delay = absl::Milliseconds(30)});
  EXPECT_GE(TimeOf(demo_), absl::Milliseconds(50));
  EXPECT_EQ(simulator_.faults()[0].hits, 1);
  TimeOf(demo_);
  EXPECT_EQ(simulator_.faults()[0].hits, 1);
}

TEST_F(FaultEffects, RefusalsAskForTimeAndDoNothing) {
  simulator_.AddFault(
      {.effect = Effect::kRefuse, .service = "network", .method = "POST", .times = 2, .status = 429, .retry_after = 7});
  for (int i = 0; i < 2; ++i) {
    const http::Response refused = demo_.Send("POST", kNetworks, kNewNetwork);
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(http::Find(refused.headers, "Retry-After"), "7");
  }
  EXPECT_EQ(CountNetworks(), networks_);
  EXPECT_EQ(demo_.Send("POST", kNetworks, kNewNetwork).status, 201);
  EXPECT_EQ(CountNetworks(), networks_ + 1);
}

TEST_F(FaultEffects, EachServiceRefusesInItsOwnWords) {
  const std::map<std::string, std::string> paths = {{"network", kNetworks},
                                                    {"compute", kServers},
                                                    {"image", "/image/v2/images"},
                                                    {"block-storage", "/volume/v3/x/volumes"},
                                                    {"load-balancer", "/load-balancer/v2/lbaas/loadbalancers"},
                                                    {"placement", "/placement/resource_providers"},
                                                    {"identity", "/identity/v3/projects"}};
  for (const int status : {429, 500, 503}) {
    simulator_.SetFaults({{.effect = Effect::kRefuse, .status = status, .retry_after = 3}});
    for (const auto& [service, path] : paths) {
      const http::Response refused = demo_.Send("GET", path);
      const absl::Status read = openstack::ErrorFromResponse(service, refused, {});
      EXPECT_EQ(openstack::HttpStatusOf(read), status) << service;
      EXPECT_EQ(openstack::RetryAfterOf(read), absl::Seconds(3)) << service;
      EXPECT_THAT(std::string(read.message()), HasSubstr("The simulator was told to refuse this.")) << service;
    }
  }
}

TEST_F(FaultEffects, RefusedAfterTheEffect) {
  simulator_.AddFault({.effect = Effect::kRefuseAfter, .service = "network", .method = "POST", .times = 1, .status = 504});
  EXPECT_EQ(demo_.Send("POST", kNetworks, kNewNetwork).status, 504);
  EXPECT_EQ(CountNetworks(), networks_ + 1);
}

TEST_F(FaultEffects, DroppedBeforeTheEffect) {
  simulator_.AddFault({.effect = Effect::kDrop, .service = "network", .method = "POST", .times = 1});
  EXPECT_FALSE(demo_.Try("POST", kNetworks, kNewNetwork).ok());
  EXPECT_EQ(CountNetworks(), networks_);
  EXPECT_EQ(demo_.Send("POST", kNetworks, kNewNetwork).status, 201);
}

TEST_F(FaultEffects, DroppedAfterTheEffect) {
  simulator_.AddFault({.effect = Effect::kDropAfter, .service = "network", .method = "POST", .times = 1});
  EXPECT_FALSE(demo_.Try("POST", kNetworks, kNewNetwork).ok());
  EXPECT_EQ(CountNetworks(), networks_ + 1);
}

TEST_F(FaultEffects, TokensExpireWhenToldSo) {
  simulator_.ExpireTokens();
  EXPECT_EQ(demo_.Send("GET", kNetworks).status, 401);
  demo_.LogIn();
  EXPECT_EQ(demo_.Send("GET", kNetworks).status, 200);
}

TEST_F(FaultEffects, TokensExpireWithTime) {
  clock_.Advance(absl::Hours(23));
  EXPECT_EQ(demo_.Send("GET", kNetworks).status, 200);
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(demo_.Send("GET", kNetworks).status, 401);
}

// The names of demo's own networks in a list.
std::set<std::string> Listed(const UserOfSimulator& user) {
  std::set<std::string> names;
  const rapidjson::Document list = user.Get(kNetworks);
  for (const rapidjson::Value& network : json::Array(list, {"networks"})) names.emplace(json::String(network, {"name"}));
  return names;
}

TEST_F(FaultEffects, ALostRoleHidesWhatIsThere) {
  const std::string id = demo_.MakeNetwork("blue");
  simulator_.AddFault({.effect = Effect::kLostRole, .service = "network"});
  EXPECT_TRUE(Listed(demo_).empty());
  EXPECT_EQ(demo_.Send("GET", absl::StrCat(kNetworks, "/", id)).status, 404);
  EXPECT_EQ(demo_.Send("GET", kServers).status, 200) << "the token stays good, and other services know nothing of it";
  EXPECT_EQ(CountNetworks(), networks_ + 1);
  simulator_.SetFaults({});
  EXPECT_TRUE(Listed(demo_).contains("blue"));
}

TEST_F(FaultEffects, ALostRoleMayHideSomeAlwaysTheSame) {
  constexpr int kCount = 100;
  for (int i = 0; i < kCount; ++i) demo_.MakeNetwork(absl::StrCat("n-", i));
  simulator_.AddFault({.effect = Effect::kLostRole, .service = "network", .share = 50});
  const std::set<std::string> seen = Listed(demo_);
  EXPECT_GT(seen.size(), kCount / 5);
  EXPECT_LT(seen.size(), kCount * 4 / 5);
  EXPECT_EQ(Listed(demo_), seen);
}

class DownCell : public FaultEffects {
 protected:
  // Servers are spread over two cells in turn.
  const std::string up_ = demo_.MakeServer("in-cell-1");
  const std::string down_ = demo_.MakeServer("in-cell-2");
  DownCell() {
    clock_.Advance(absl::Minutes(1));
    simulator_.AddFault({.effect = Effect::kDownCell, .service = "compute", .cell = 2});
  }

  // Statuses by id.
  std::map<std::string, std::string> List(const std::string& query) const {
    std::map<std::string, std::string> statuses;
    const rapidjson::Document list = demo_.Get(absl::StrCat(kServers, "/detail", query), kNova);
    for (const rapidjson::Value& server : json::Array(list, {"servers"})) {
      statuses[std::string(json::String(server, {"id"}))] = std::string(json::String(server, {"status"}));
    }
    return statuses;
  }
};

TEST_F(DownCell, ListsSayLittleOfItsServers) {
  EXPECT_EQ(List(""), (std::map<std::string, std::string>{{up_, "ACTIVE"}, {down_, "UNKNOWN"}}));
}

TEST_F(DownCell, ListsWithAQueryLeaveThemOut) {
  EXPECT_EQ(List("?limit=500"), (std::map<std::string, std::string>{{up_, "ACTIVE"}}));
}

TEST_F(DownCell, OneServer) {
  EXPECT_EQ(StatusOf(down_), "UNKNOWN");
  const std::string target = absl::StrCat(kServers, "/", down_);
  EXPECT_EQ(demo_.Send("GET", target, "", {{"OpenStack-API-Version", "compute 2.68"}}).status, 404);
  EXPECT_EQ(StatusOf(up_), "ACTIVE");
  simulator_.SetFaults({});
  EXPECT_EQ(StatusOf(down_), "ACTIVE");
}

TEST_F(FaultEffects, StuckServersNeverGetReadyUntilTheFaultIsGone) {
  simulator_.AddFault({.effect = Effect::kStuck, .service = "compute", .method = "POST", .path = "/servers"});
  const std::string id = demo_.MakeServer("slow");
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(StatusOf(id), "BUILD");
  simulator_.SetFaults({});
  EXPECT_EQ(StatusOf(id), "ACTIVE");
}

TEST_F(FaultEffects, StuckDeletionsNeverEnd) {
  const std::string id = demo_.MakeServer("stays");
  clock_.Advance(absl::Minutes(1));
  simulator_.AddFault({.effect = Effect::kStuck, .service = "compute", .method = "DELETE"});
  const std::string target = absl::StrCat(kServers, "/", id);
  EXPECT_EQ(demo_.Send("DELETE", target).status, 204);
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(json::String(demo_.Get(target, kNova), {"server", "OS-EXT-STS:task_state"}), "deleting");
  simulator_.SetFaults({});
  EXPECT_EQ(demo_.Send("GET", target).status, 404);
}

TEST_F(FaultEffects, StuckImagesAreSavedForEver) {
  const http::Response made = demo_.Send("POST", "/image/v2/images", R"({"disk_format": "raw", "container_format": "bare"})");
  const std::string target = absl::StrCat("/image/v2/images/", json::String(*json::Parse(made.body), {"id"}));
  simulator_.AddFault({.effect = Effect::kStuck, .service = "image", .path = "/images/*/file"});
  EXPECT_EQ(demo_.Send("PUT", target + "/file", "0123456789").status, 204);
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(json::String(demo_.Get(target), {"status"}), "saving");
  simulator_.SetFaults({});
  EXPECT_EQ(json::String(demo_.Get(target), {"status"}), "active");
}

TEST_F(FaultEffects, WhatFailsSaysWhy) {
  simulator_.AddFault({.effect = Effect::kFail, .service = "compute", .method = "POST", .times = 1});
  const std::string fails = demo_.MakeServer("fails");
  const std::string works = demo_.MakeServer("works");
  clock_.Advance(absl::Minutes(1));
  EXPECT_EQ(StatusOf(fails), "ERROR");
  EXPECT_EQ(StatusOf(works), "ACTIVE");
  const rapidjson::Document server = demo_.Get(absl::StrCat(kServers, "/", fails), kNova);
  EXPECT_THAT(std::string(json::String(server, {"server", "fault", "message"})), HasSubstr("No valid host"));
}

TEST_F(FaultEffects, OfOneUserAlone) {
  simulator_.AddFault({.effect = Effect::kRefuse, .service = "network", .user = "demo", .status = 503});
  EXPECT_EQ(demo_.Send("GET", kNetworks).status, 503);
  EXPECT_EQ(UserOfSimulator(simulator_, "admin").Send("GET", kNetworks).status, 200);
}

}  // namespace
}  // namespace kupen::simulator
