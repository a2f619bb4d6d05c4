// What a running simulator is told and asked under /simulator, what it counts, and how much it bears.
#include "test/simulator/simulator.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "test/fakes/fake_clock.h"
#include "test/simulator/user_of_simulator.h"

namespace kupen::simulator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kNetworks[] = "/network/v2.0/networks";
constexpr char kFaults[] = "/simulator/faults";

class RunningSimulator : public testing::Test {
 protected:
  test::FakeClock clock_;
  Simulator simulator_{{.clock = &clock_}};
  UserOfSimulator demo_{simulator_, "demo"};
};

TEST_F(RunningSimulator, TakesAndShowsFaults) {
  const std::string one = R"({"faults": [{"effect": "refuse", "service": "network", "times": 1}]})";
  EXPECT_EQ(demo_.Send("PUT", kFaults, one).status, 200);
  EXPECT_EQ(demo_.Send("POST", kFaults, R"({"faults": [{"effect": "refuse", "service": "image", "status": 500}]})").status,
            200);
  EXPECT_EQ(demo_.Send("GET", kNetworks).status, 503);
  EXPECT_EQ(demo_.Send("GET", "/image/v2/images").status, 500);

  const rapidjson::Document faults = demo_.Get(kFaults);
  ASSERT_EQ(json::Array(faults, {"faults"}).Size(), 2U);
  EXPECT_EQ(json::Find(json::Array(faults, {"faults"})[0], {"hits"})->GetInt(), 1);

  EXPECT_EQ(demo_.Send("PUT", kFaults, one).status, 200);
  EXPECT_EQ(demo_.Send("GET", "/image/v2/images").status, 200) << "PUT replaces all";
  EXPECT_EQ(demo_.Send("DELETE", kFaults).status, 204);
  EXPECT_EQ(demo_.Send("GET", kNetworks).status, 200);
}

TEST_F(RunningSimulator, LetsGoWhatWasStuck) {
  const std::string stuck = R"({"faults": [{"effect": "stuck", "service": "compute", "method": "POST"}]})";
  for (const std::string method : {"PUT", "DELETE"}) {
    demo_.Send("PUT", kFaults, stuck);
    const std::string target = absl::StrCat("/compute/v2.1/servers/", demo_.MakeServer("slow"));
    clock_.Advance(absl::Hours(1));
    EXPECT_EQ(json::String(demo_.Get(target), {"server", "status"}), "BUILD");
    demo_.Send(method, kFaults, method == "PUT" ? R"({"faults": []})" : "");
    EXPECT_EQ(json::String(demo_.Get(target), {"server", "status"}), "ACTIVE") << method;
  }
}

TEST_F(RunningSimulator, RefusesWhatItDoesNotUnderstand) {
  const http::Response nonsense = demo_.Send("PUT", kFaults, "nonsense");
  EXPECT_EQ(nonsense.status, 400);
  const http::Response unknown = demo_.Send("PUT", kFaults, R"({"faults": [{"effect": "explode"}]})");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_THAT(unknown.body, HasSubstr("explode"));
  EXPECT_TRUE(simulator_.faults().empty());
  EXPECT_EQ(demo_.Send("PUT", "/simulator/settings", R"({"colour": "red"})").status, 400);
  EXPECT_EQ(demo_.Send("PUT", "/simulator/settings", R"({"latency": 5})").status, 400);
  EXPECT_EQ(demo_.Send("GET", "/simulator/nonsense").status, 404);
  EXPECT_EQ(demo_.Send("GET", "/nonsense").status, 404);
}

TEST_F(RunningSimulator, ChangesItsSettings) {
  EXPECT_EQ(demo_.Send("PUT", "/simulator/settings", R"({"buildTime": "1h", "latency": "1ms"})").status, 204);
  const std::string target = absl::StrCat("/compute/v2.1/servers/", demo_.MakeServer("slow"));
  clock_.Advance(absl::Minutes(59));
  EXPECT_EQ(json::String(demo_.Get(target), {"server", "status"}), "BUILD");
  clock_.Advance(absl::Minutes(1));
  EXPECT_EQ(json::String(demo_.Get(target), {"server", "status"}), "ACTIVE");
}

TEST_F(RunningSimulator, ExpiresTokens) {
  EXPECT_EQ(demo_.Send("POST", "/simulator/tokens/expire").status, 204);
  EXPECT_EQ(demo_.Send("GET", kNetworks).status, 401);
}

TEST_F(RunningSimulator, ShowsItsObjects) {
  const std::string marked = R"({"network": {"name": "blue", "description": "for all [kupen:1]"}})";
  EXPECT_EQ(demo_.Send("POST", kNetworks, marked).status, 201);
  const rapidjson::Document all = demo_.Get("/simulator/objects");
  EXPECT_EQ(json::Array(all, {"compute/flavors"}).Size(), 2U);
  const rapidjson::Document networks = demo_.Get("/simulator/objects?collection=network/networks");
  EXPECT_EQ(networks.MemberCount(), 1U);
  const rapidjson::Value& last = json::Array(networks, {"network/networks"})[2];
  EXPECT_EQ(json::String(last, {"name"}), "blue");
  EXPECT_EQ(json::String(last, {"status"}), "ACTIVE");
  EXPECT_EQ(json::String(last, {"marker"}), "for all [kupen:1]");
  EXPECT_EQ(json::Find(last, {"mtu"}), nullptr);
  const rapidjson::Document full = demo_.Get("/simulator/objects?collection=network/networks&full=true");
  EXPECT_EQ(json::Find(json::Array(full, {"network/networks"})[2], {"mtu"})->GetInt(), 1450);
}

TEST_F(RunningSimulator, ChangesAndLosesObjectsBehindTheBackOfUsers) {
  const std::string id = demo_.MakeNetwork("blue");
  const std::string target = absl::StrCat(kNetworks, "/", id);
  EXPECT_TRUE(simulator_.ChangeObject("network/networks", id, "name", R"("red")"));
  EXPECT_EQ(json::String(demo_.Get(target), {"network", "name"}), "red");
  EXPECT_TRUE(simulator_.RemoveObject("network/networks", id));
  EXPECT_EQ(demo_.Send("GET", target).status, 404);
  EXPECT_FALSE(simulator_.ChangeObject("network/networks", id, "name", R"("red")"));
  EXPECT_FALSE(simulator_.RemoveObject("network/networks", id));
}

// "GET network /networks/{id} ?limit 200 ×2"
std::vector<std::string> Lines(const Simulator& simulator) {
  std::vector<std::string> lines;
  for (const RequestCount& one : simulator.Requests()) {
    lines.push_back(absl::StrCat(one.agent, " ", one.method, " ", one.service, " ", one.path, " ?", one.query, " ", one.status,
                                 " ×", one.count));
  }
  return lines;
}

TEST_F(RunningSimulator, CountsRequestsThatLookTheSame) {
  const std::string blue = demo_.MakeNetwork("blue");
  const std::string red = demo_.MakeNetwork("red");
  simulator_.ResetRequests();
  demo_.Send("GET", absl::StrCat(kNetworks, "/", blue));
  demo_.Send("GET", absl::StrCat(kNetworks, "/", red));
  demo_.Send("GET", absl::StrCat(kNetworks, "?limit=5&marker=", red));
  demo_.Send("GET", "/compute/v2.1/os-keypairs/alice");
  demo_.Send("GET", "/compute/v2.1/flavors/detail");
  EXPECT_THAT(Lines(simulator_),
              ElementsAre("test GET compute /flavors/detail ? 200 ×1", "test GET compute /os-keypairs/{id} ? 404 ×1",
                          "test GET network /networks ?limit,marker 200 ×1", "test GET network /networks/{id} ? 200 ×2"));
  EXPECT_EQ(simulator_.CountRequests(), 5);
}

TEST_F(RunningSimulator, CountsWhatNeverGotAnAnswerButNotItself) {
  simulator_.AddFault({.effect = Fault::Effect::kDrop, .service = "network", .method = "POST", .times = 1});
  demo_.Send("DELETE", "/simulator/requests");
  EXPECT_FALSE(demo_.Try("POST", kNetworks, R"({"network": {}})").ok());
  const rapidjson::Document log = demo_.Get("/simulator/requests");
  ASSERT_EQ(json::Array(log, {"requests"}).Size(), 1U);
  const rapidjson::Value& only = json::Array(log, {"requests"})[0];
  EXPECT_EQ(json::String(only, {"method"}), "POST");
  EXPECT_EQ(json::Find(only, {"status"})->GetInt(), 0);
  EXPECT_EQ(json::Find(only, {"count"})->GetInt(), 1);
}

// The number depends on the machine, so it is told and not judged.
TEST_F(RunningSimulator, BearsManyAtOnce) {
  constexpr int kThreads = 8;
  constexpr int kEach = 250;
  const size_t before = simulator_.CountObjects("network/networks");
  simulator_.ResetRequests();
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this] {
      for (int i = 0; i < kEach; ++i) demo_.MakeNetwork("blue");
    });
  }
  for (std::thread& thread : threads) thread.join();
  const absl::Duration time = absl::FromChrono(std::chrono::steady_clock::now() - began);
  RecordProperty("requests_per_second", static_cast<int>(kThreads * kEach / absl::ToDoubleSeconds(time)));
  EXPECT_EQ(simulator_.CountRequests(), kThreads * kEach);
  EXPECT_EQ(simulator_.CountObjects("network/networks"), before + kThreads * kEach);
}

}  // namespace
}  // namespace kupen::simulator
