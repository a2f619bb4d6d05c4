// The status contract: what has not changed is not written, not even by the next process; and the metrics.
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "test/lab/contract.h"
#include "test/support/audit_log.h"

namespace kupen::test {
namespace {

using testing::IsEmpty;

std::map<std::string, std::string> StatusesOf(const View& view) {
  std::map<std::string, std::string> statuses;
  for (const auto& [name, object] : view.objects()) {
    const rapidjson::Value* status = json::Find(*object, {"status"});
    statuses[name] = status == nullptr ? "" : json::Write(*status);
  }
  return statuses;
}

// Objects in each state that can last.
TEST_F(Contract, AnIdleProviderWritesNothingNorDoesTheNextOne) {
  ASSERT_OK(Give({{.name = "idle", .spec = "writeConnectionSecretToRef: {name: idle}, "},
                  {.name = "idle-subnet", .parameters = "networkRef: {name: idle}, cidr: 10.8.0.0/24", .kind = "Subnet"},
                  {.name = "idle-flavor", .parameters = "vcpus: 1, ram: 512, disk: 1", .kind = "Flavor"},
                  {.name = "idle-machine",
                   .parameters = "flavorRef: {name: idle-flavor}, imageName: cirros, networks: [{networkName: public}]",
                   .kind = "VirtualMachine"},
                  {.name = "idle-paused", .metadata = R"(annotations: {crossplane.io/paused: "true"}, )"},
                  {.name = "idle-refused", .spec = "managementPolicies: [Create], "},
                  {.name = "idle-observer", .parameters = "name: nowhere", .spec = "managementPolicies: [Observe], "},
                  {.name = "idle-waiting", .parameters = "networkRef: {name: never}, cidr: 10.9.0.0/24", .kind = "Subnet"},
                  {.name = "idle-cut-off", .config = "never-made"}}));
  ASSERT_OK(Await({{"idle-subnet", Ready()}}));
  ASSERT_OK(Give({{.name = "idle-overlap", .parameters = "networkRef: {name: idle}, cidr: 10.8.0.0/16", .kind = "Subnet"}}));
  const Expected failed{.conditions = {{"Synced", "False ReconcileError"}}};
  Rows rows = ForEach({"idle", "idle-subnet", "idle-flavor", "idle-machine"}, Ready());
  for (const char* name : {"idle-refused", "idle-observer", "idle-waiting", "idle-overlap", "idle-cut-off"}) {
    rows.emplace_back(name, failed);
  }
  rows.emplace_back("idle-paused", Expected{.conditions = {{"Synced", "False ReconcilePaused"}}});
  ASSERT_OK(Await(rows));
  // Events and the configuration's count of its users come a little later.
  ASSERT_OK(AwaitLists(6));

  ASSERT_OK_AND_ASSIGN(const View before, View::Of(lab()));
  const AuditLog log;
  ASSERT_OK(AwaitLists(3));
  EXPECT_THAT(log.Writes("", lab().ns()).value_or(std::map<std::string, int>{{"no log", 1}}), IsEmpty());
  ASSERT_OK_AND_ASSIGN(const View idle, View::Of(lab()));
  EXPECT_EQ(StatusesOf(idle), StatusesOf(before));

  const AuditLog next_log;
  ASSERT_OK(RestartProvider());
  ASSERT_OK(AwaitLists(4));
  EXPECT_THAT(next_log.Writes("", lab().ns()).value_or(std::map<std::string, int>{{"no log", 1}}), IsEmpty());
  ASSERT_OK_AND_ASSIGN(const View next, View::Of(lab()));
  EXPECT_EQ(StatusesOf(next), StatusesOf(before));

  // The log would have shown it.
  const AuditLog last_log;
  ASSERT_OK(Annotate({"idle-paused"}, "crossplane.io/paused-"));
  ASSERT_OK(Await({{"idle-paused", Ready()}}));
  EXPECT_EQ(last_log.Writes("", lab().ns()).value_or(std::map<std::string, int>())["networks/status/idle-paused"], 1);
}

constexpr char kGvk[] = R"({gvk="network.m.kupenstack.io/v1alpha1, Kind=Network"})";

// -1 if there is none.
double MetricOf(const std::string& text, const std::string& name) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::string begin = absl::StrCat("crossplane_managed_resource_", name, kGvk, " ");
    double value = -1;
    if (absl::StartsWith(line, begin) && absl::SimpleAtod(line.substr(begin.size()), &value)) return value;
  }
  return -1;
}

TEST_F(Contract, MetricsHaveCrossplanesNamesAndCountWhatThereIs) {
  ASSERT_OK(Give({{.name = "measured"}, {.name = "measured-briefly"}}));
  ASSERT_OK(Await(ForEach({"measured", "measured-briefly"}, Ready())));
  ASSERT_OK_AND_ASSIGN(const std::string text, Metrics());
  EXPECT_GE(MetricOf(text, "first_time_to_reconcile_seconds_count"), 2);
  EXPECT_GE(MetricOf(text, "first_time_to_readiness_seconds_count"), 1);
  const double deleted = MetricOf(text, "deletion_seconds_count");
  const double drifted = MetricOf(text, "drift_seconds_count");

  ASSERT_OK_AND_ASSIGN(const std::string id, IdOf("measured"));
  ASSERT_TRUE(lab().cloud().ChangeObject(kNetworks, id, "mtu", "1200"));
  ASSERT_OK(Delete({"measured-briefly"}));
  Expected put_right = ReadyWith(R"("mtu":1400)");
  put_right.events = {"Normal UpdatedExternalResource"};
  ASSERT_OK(Await({{"measured", put_right}, {"measured-briefly", Gone()}}));
  ASSERT_OK(Eventually(kSoon, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::string now, Metrics());
    ASSIGN_OR_RETURN(const View view, View::Of(lab()));
    std::map<std::string, double> expected = {{"exists", 0}, {"ready", 0}, {"synced", 0}};
    for (const auto& [name, object] : view.objects()) {
      if (json::String(*object, {"kind"}) != "Network") continue;
      expected["exists"] += 1;
      expected["ready"] += kube::IsTrue(*object, "Ready") ? 1 : 0;
      expected["synced"] += kube::IsTrue(*object, "Synced") ? 1 : 0;
    }
    expected["deletion_seconds_count"] = deleted + 1;
    expected["drift_seconds_count"] = drifted + 1;
    for (const auto& [name, value] : expected) {
      if (MetricOf(now, name) != value)
        return absl::UnavailableError(absl::StrCat(name, ": ", MetricOf(now, name), ", not ", value));
    }
    return absl::OkStatus();
  }));
}

}  // namespace
}  // namespace kupen::test
