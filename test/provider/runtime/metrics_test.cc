#include "provider/runtime/metrics.h"

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/runtime/work_queue.h"
#include "test/fakes/fake_clock.h"

namespace kupen::runtime {
namespace {

constexpr absl::string_view kGvk = "network.m.kupenstack.io/v1alpha1, Kind=Network";

// The value of a series, as Prometheus would read it; -1 if there is none.
double ValueOf(const Metrics& metrics, absl::string_view series) {
  for (const absl::string_view line : absl::StrSplit(metrics.Text(), '\n')) {
    double value = -1;
    if (absl::StartsWith(line, absl::StrCat(series, " ")) && absl::SimpleAtod(line.substr(series.size() + 1), &value)) {
      return value;
    }
  }
  return -1;
}

std::string Crossplane(absl::string_view name, absl::string_view more_labels = "") {
  return absl::StrCat("crossplane_managed_resource_", name, "{gvk=\"", kGvk, "\"", more_labels, "}");
}

class MetricsTest : public testing::Test {
 protected:
  test::FakeClock clock_;
  WorkQueue queue_{clock_};
  Metrics metrics_{
      {.version = "1.2.3", .kinds = {{"network.Network", std::string(kGvk)}, {"ProviderConfig"}}, .queue = &queue_}};
};

TEST_F(MetricsTest, SeriesOfAKindAreThereFromTheStart) {
  for (const char* name : {"exists", "ready", "synced", "first_time_to_reconcile_seconds_count",
                           "first_time_to_readiness_seconds_count", "deletion_seconds_count", "drift_seconds_count"}) {
    EXPECT_EQ(ValueOf(metrics_, Crossplane(name)), 0) << name;
  }
  EXPECT_EQ(ValueOf(metrics_, "controller_runtime_reconcile_total{controller=\"ProviderConfig\",result=\"error\"}"), 0);
}

TEST_F(MetricsTest, ReconcilesAreCountedByResult) {
  metrics_.ObserveReconcile("network.Network", Metrics::Result::kSuccess, absl::Milliseconds(20));
  metrics_.ObserveReconcile("network.Network", Metrics::Result::kError, absl::Milliseconds(40));
  metrics_.ObserveReconcile("network.Network", Metrics::Result::kError, absl::Milliseconds(40));
  metrics_.ObserveReconcile("no.Kind", Metrics::Result::kError, absl::Milliseconds(40));
  const std::string total = "controller_runtime_reconcile_total{controller=\"network.Network\",result=";
  EXPECT_EQ(ValueOf(metrics_, absl::StrCat(total, "\"success\"}")), 1);
  EXPECT_EQ(ValueOf(metrics_, absl::StrCat(total, "\"error\"}")), 2);
  EXPECT_EQ(ValueOf(metrics_, absl::StrCat(total, "\"requeue_after\"}")), 0);
  EXPECT_EQ(ValueOf(metrics_, "controller_runtime_reconcile_time_seconds_bucket{controller=\"network.Network\",le=\"0.025\"}"),
            1);
  EXPECT_EQ(ValueOf(metrics_, "controller_runtime_reconcile_time_seconds_count{controller=\"network.Network\"}"), 3);
}

TEST_F(MetricsTest, AnObjectsLifeHasCrossplanesNamesAndBuckets) {
  metrics_.ObserveFirstReconcile("network.Network", absl::Milliseconds(5));
  metrics_.ObserveFirstReady("network.Network", absl::Seconds(12));
  metrics_.ObserveDeletion("network.Network", absl::Hours(2));
  metrics_.ObserveDrift("network.Network", absl::Seconds(30));
  EXPECT_EQ(ValueOf(metrics_, Crossplane("first_time_to_reconcile_seconds_bucket", ",le=\"0.01\"")), 1);
  EXPECT_EQ(ValueOf(metrics_, Crossplane("first_time_to_readiness_seconds_bucket", ",le=\"10\"")), 0);
  EXPECT_EQ(ValueOf(metrics_, Crossplane("first_time_to_readiness_seconds_bucket", ",le=\"15\"")), 1);
  EXPECT_EQ(ValueOf(metrics_, Crossplane("deletion_seconds_bucket", ",le=\"3600\"")), 0);
  EXPECT_EQ(ValueOf(metrics_, Crossplane("deletion_seconds_sum")), 7200);
  EXPECT_EQ(ValueOf(metrics_, Crossplane("drift_seconds_sum")), 30);
  // A kind that is no managed resource has none of these.
  metrics_.ObserveFirstReady("ProviderConfig", absl::Seconds(1));
  EXPECT_EQ(ValueOf(metrics_, Crossplane("first_time_to_readiness_seconds_count")), 1);
}

TEST_F(MetricsTest, StatesReplaceOneAnother) {
  metrics_.SetStates("network.Network", 5, 4, 3);
  metrics_.SetStates("network.Network", 2, 1, 0);
  EXPECT_EQ(ValueOf(metrics_, Crossplane("exists")), 2);
  EXPECT_EQ(ValueOf(metrics_, Crossplane("ready")), 1);
  EXPECT_EQ(ValueOf(metrics_, Crossplane("synced")), 0);
}

TEST_F(MetricsTest, RequestsAreCountedByWhereAndHow) {
  metrics_.CountOpenStackRequest("network", "POST", 201);
  metrics_.CountOpenStackRequest("network", "POST", 201);
  metrics_.CountOpenStackRequest("network", "POST", 0);
  metrics_.CountApiServerRequest("PATCH", 409);
  const std::string network = "kupenstack_openstack_requests_total{method=\"POST\",service=\"network\",status=";
  EXPECT_EQ(ValueOf(metrics_, absl::StrCat(network, "\"201\"}")), 2);
  EXPECT_EQ(ValueOf(metrics_, absl::StrCat(network, "\"<error>\"}")), 1);
  EXPECT_EQ(ValueOf(metrics_, "rest_client_requests_total{code=\"409\",method=\"PATCH\"}"), 1);
}

TEST_F(MetricsTest, QueueIsShownAsItIs) {
  const std::string name = "{name=\"provider-kupenstack\"}";
  queue_.Add({"network.Network", "team", "a"}, Priority::kChange);
  queue_.Add({"network.Network", "team", "b"}, Priority::kChange);
  queue_.AddAfter({"network.Network", "team", "c"}, Priority::kRequeue, absl::Minutes(1));
  queue_.Take({});
  clock_.Advance(absl::Seconds(3));
  EXPECT_EQ(ValueOf(metrics_, absl::StrCat("workqueue_adds_total", name)), 3);
  EXPECT_EQ(ValueOf(metrics_, absl::StrCat("workqueue_depth", name)), 1);
  EXPECT_EQ(ValueOf(metrics_, absl::StrCat("workqueue_longest_running_processor_seconds", name)), 3);
  EXPECT_EQ(ValueOf(metrics_, "controller_runtime_active_workers"), 1);
}

TEST_F(MetricsTest, ProcessAndBuildAreDescribed) {
  EXPECT_GT(ValueOf(metrics_, "process_resident_memory_bytes"), 1e6);
  EXPECT_GE(ValueOf(metrics_, "process_cpu_seconds_total"), 0);
  EXPECT_GE(ValueOf(metrics_, "process_open_fds"), 3);
  EXPECT_NEAR(ValueOf(metrics_, "process_start_time_seconds"), absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch()), 120);
  EXPECT_EQ(ValueOf(metrics_, "kupenstack_build_info{version=\"1.2.3\"}"), 1);
  EXPECT_EQ(ValueOf(metrics_, "leader_election_master_status{name=\"provider-kupenstack\"}"), 0);
  metrics_.SetLeader(true);
  EXPECT_EQ(ValueOf(metrics_, "leader_election_master_status{name=\"provider-kupenstack\"}"), 1);
}

TEST_F(MetricsTest, ManyThreadsMayCountWhileOneReads) {
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([this] {
        for (int n = 0; n < 250; ++n) metrics_.CountOpenStackRequest("compute", "GET", 200);
      });
    }
    EXPECT_FALSE(metrics_.Text().empty());
  }
  EXPECT_EQ(ValueOf(metrics_, "kupenstack_openstack_requests_total{method=\"GET\",service=\"compute\",status=\"200\"}"), 1000);
}

}  // namespace
}  // namespace kupen::runtime
