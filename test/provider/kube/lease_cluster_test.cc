// Leases and events on a real API server.
#include <atomic>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/clock.h"
#include "provider/json/json.h"
#include "provider/kube/events.h"
#include "provider/kube/lease.h"
#include "test/provider/kube/real_cluster.h"

namespace kupen::kube {
namespace {

using testing::HasSubstr;

class LeaseClusterTest : public RealClusterTest {
 protected:
  // Short, but in whole seconds as the API has them.
  LeaseOptions Options(const std::string& identity) const {
    return {.key = {ns(), "leader"},
            .identity = identity,
            .duration = absl::Seconds(3),
            .renew_deadline = absl::Seconds(2),
            .renew_interval = absl::Milliseconds(500),
            .retry_interval = absl::Milliseconds(200)};
  }
  const Lease::ProblemSink on_problem_ = [](const absl::Status& problem) { ADD_FAILURE() << problem; };
};

TEST_F(LeaseClusterTest, GoesFromOneHolderToTheNext) {
  Lease first(*client_, SystemClock(), Options("first"));
  Lease second(*client_, SystemClock(), Options("second"));
  ASSERT_TRUE(first.Acquire(on_problem_, {}));
  ASSERT_OK_AND_ASSIGN(const bool too_early, second.Try({}));
  EXPECT_FALSE(too_early);
  EXPECT_EQ(second.holder(), "first");

  // The first stops renewing without a word: the second waits its time out.
  const absl::Time start = absl::Now();
  ASSERT_TRUE(second.Acquire(on_problem_, {}));
  EXPECT_GE(absl::Now() - start, absl::Seconds(2));
  EXPECT_FALSE(first.held());
  EXPECT_TRUE(second.held());
  const absl::Status lost = first.Hold(on_problem_, {});
  EXPECT_TRUE(absl::IsAborted(lost)) << lost;

  // The second gives it back: nobody waits.
  ASSERT_OK(second.Release());
  ASSERT_OK_AND_ASSIGN(const bool at_once, first.Try({}));
  EXPECT_TRUE(at_once);
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document lease, test::GetJson({"lease/leader", "-n", ns()}));
  EXPECT_EQ(json::String(lease, {"spec", "holderIdentity"}), "first");
  EXPECT_EQ(json::Find(lease, {"spec", "leaseTransitions"})->GetInt(), 2);
}

TEST_F(LeaseClusterTest, IsHeldByRenewing) {
  Lease lease(*client_, SystemClock(), Options("me"));
  Lease other(*client_, SystemClock(), Options("other"));
  ASSERT_TRUE(lease.Acquire(on_problem_, {}));
  absl::Status end = absl::UnknownError("");
  std::jthread thread([&](const std::stop_token& stop) { end = lease.Hold(on_problem_, stop); });
  const absl::Time until = absl::Now() + absl::Seconds(5);
  while (absl::Now() < until) {
    ASSERT_OK_AND_ASSIGN(const bool taken, other.Try({}));
    ASSERT_FALSE(taken);
    SystemClock().SleepFor(absl::Milliseconds(100), {});
  }
  thread.request_stop();
  thread.join();
  EXPECT_TRUE(end.ok()) << end;
}

TEST_F(LeaseClusterTest, OfManyOneGetsIt) {
  std::atomic<int> holders = 0;
  std::vector<std::jthread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      Lease lease(*client_, SystemClock(), Options(absl::StrCat("candidate-", i)));
      const auto ours = lease.Try({});
      EXPECT_TRUE(ours.ok()) << ours.status();
      if (ours.ok() && *ours) ++holders;
    });
  }
  threads.clear();
  EXPECT_EQ(holders, 1);
}

class EventsClusterTest : public RealClusterTest {};

TEST_F(EventsClusterTest, EventsAppearAndCount) {
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document map, client_->Create(config_maps_, ns(), ConfigMap("a", "1"), {}));
  const ObjectReference about{
      .api_version = "v1", .kind = "ConfigMap", .key = {ns(), "a"}, .uid = std::string(json::String(map, {"metadata", "uid"}))};
  EventRecorder recorder(*client_, SystemClock(), {.component = "kube-test", .on_problem = [](const absl::Status& problem) {
                                                     ADD_FAILURE() << problem;
                                                   }});
  const auto await_count = [&](int count) {
    return test::Eventually(absl::Seconds(20), [&]() -> absl::Status {
      ASSIGN_OR_RETURN(const rapidjson::Document events,
                       test::GetJson({"events", "-n", ns(), "--field-selector=involvedObject.uid=" + about.uid}));
      const auto items = json::Array(events, {"items"});
      if (items.Size() != 1) return absl::NotFoundError(absl::StrCat(items.Size(), " events"));
      EXPECT_EQ(json::String(items[0], {"reason"}), "Failing");
      EXPECT_EQ(json::String(items[0], {"type"}), "Warning");
      if (json::Find(items[0], {"count"})->GetInt() != count) return absl::NotFoundError(json::Write(items[0]));
      return absl::OkStatus();
    });
  };
  recorder.Record(about, EventRecorder::Type::kWarning, "Failing", "it does not work");
  ASSERT_OK(await_count(1));
  recorder.Record(about, EventRecorder::Type::kWarning, "Failing", "it does not work");
  ASSERT_OK(await_count(2));
  // As people see it.
  ASSERT_OK_AND_ASSIGN(const std::string described, test::Kubectl({"describe", "configmap", "a", "-n", ns()}));
  EXPECT_THAT(described, HasSubstr("it does not work"));
  EXPECT_THAT(described, HasSubstr("kube-test"));
  EXPECT_EQ(recorder.dropped(), 0);
}

}  // namespace
}  // namespace kupen::kube
