#include "provider/managed/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "provider/json/json.h"

namespace kupen::managed {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

absl::Time Now() { return absl::FromUnixSeconds(1'800'000'000); }

std::string Render(Report report, const std::string& status, absl::Time now = Now()) {
  const rapidjson::Document object =
      *json::Parse(absl::StrCat(R"({"metadata":{"generation":7})", status.empty() ? "" : ",\"status\":", status, "}"));
  rapidjson::Document memory;
  return json::Write(RenderStatus(report, object, now, memory.GetAllocator()));
}

Report Available() {
  Report report;
  report.phase = Phase::kAvailable;
  report.references = {{.field = "networkID", .object = "blue", .id = "n-1"}};
  report.external_id = "s-1";
  report.region = "R1";
  report.cluster_id = "c-1";
  return report;
}

// "True Available the message".
std::string Condition(const std::string& status, const std::string& type) {
  const rapidjson::Document document = *json::Parse(status);
  for (const rapidjson::Value& condition : json::Array(document, {"conditions"})) {
    if (json::String(condition, {"type"}) != type) continue;
    return absl::StrCat(json::String(condition, {"status"}), " ", json::String(condition, {"reason"}), " ",
                        json::String(condition, {"message"}));
  }
  return "";
}

TEST(Status, OfAnAvailableObject) {
  EXPECT_EQ(
      Render(Available(), ""),
      R"({"observedGeneration":7,"conditions":[)"
      R"({"type":"Ready","status":"True","observedGeneration":7,"lastTransitionTime":"2027-01-15T08:00:00Z","reason":"Available"},)"
      R"({"type":"Reconciling","status":"False","observedGeneration":7,"lastTransitionTime":"2027-01-15T08:00:00Z","reason":"Settled"},)"
      R"({"type":"Stalled","status":"False","observedGeneration":7,"lastTransitionTime":"2027-01-15T08:00:00Z","reason":"Settled"},)"
      R"({"type":"Synced","status":"True","observedGeneration":7,"lastTransitionTime":"2027-01-15T08:00:00Z","reason":"ReconcileSuccess"},)"
      R"({"type":"UpToDate","status":"True","observedGeneration":7,"lastTransitionTime":"2027-01-15T08:00:00Z","reason":"ObserveMatched"}],)"
      R"("federation":{"ready":true,"phase":"Available","externalID":"s-1","region":"R1","provider":"kupenstack","clusterID":"c-1"},)"
      R"("references":[{"field":"networkID","object":"blue","id":"n-1"}]})");
}

TEST(Status, TheSameReportGivesTheSameBytesLater) {
  const std::string first = Render(Available(), "");
  EXPECT_EQ(Render(Available(), first, Now() + absl::Hours(1)), first);
}

TEST(Status, WhatIsKnownStaysWhenTheCloudCannotBeAsked) {
  const std::string before = Render(Available(), "");
  Report report;
  report.problem = absl::UnavailableError("connection refused");
  const std::string after = Render(std::move(report), before);
  EXPECT_EQ(Condition(after, "Ready"), "True Available ");
  EXPECT_EQ(Condition(after, "Synced"), "False ReconcileError connection refused");
  EXPECT_EQ(Condition(after, "Reconciling"), "True Progressing ");
  EXPECT_THAT(after, AllOf(HasSubstr(R"("externalID":"s-1")"), HasSubstr(R"("references":[)")));
}

TEST(Status, WhoseCloudCouldNeverBeAskedIsBeingCreated) {
  Report report;
  report.problem = absl::UnavailableError("connection refused");
  EXPECT_EQ(Condition(Render(std::move(report), ""), "Ready"), "False Creating ");
}

TEST(Status, StalledIsNeverReconciling) {
  Report report;
  report.phase = Phase::kCreating;
  report.problem = absl::ResourceExhaustedError("quota");
  report.stalled = true;
  const std::string status = Render(std::move(report), "");
  EXPECT_EQ(Condition(status, "Stalled"), "True NeedsChange quota");
  EXPECT_EQ(Condition(status, "Reconciling"), "False Settled ");
}

TEST(Status, DriftIsNotUpToDateButSynced) {
  Report report = Available();
  report.drift = "differs from the cloud: mtu: 1 → 2";
  const std::string status = Render(std::move(report), "");
  EXPECT_EQ(Condition(status, "UpToDate"), "False UpdateRestricted differs from the cloud: mtu: 1 → 2");
  EXPECT_EQ(Condition(status, "Synced"), "True ReconcileSuccess ");
}

TEST(Status, AnUpdateThatFailedIsNoneThatMayNotBe) {
  Report report = Available();
  report.problem = absl::InvalidArgumentError("no");
  report.drift = "differs from the cloud: mtu: 1 → 2";
  report.update_failed = true;
  const std::string status = Render(std::move(report), "");
  EXPECT_EQ(Condition(status, "UpToDate"), "False UpdateFailed differs from the cloud: mtu: 1 → 2");
}

TEST(Status, APauseLeavesTheRestAsItWas) {
  Report report;
  report.paused = true;
  const std::string status = Render(std::move(report), Render(Available(), ""));
  EXPECT_THAT(Condition(status, "Synced"), HasSubstr("False ReconcilePaused"));
  EXPECT_EQ(Condition(status, "Ready"), "True Available ");
}

TEST(Status, OtherPeoplesConditionsStay) {
  const std::string status = Render(
      Available(),
      R"({"conditions":[{"type":"Backup","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"Done"}]})");
  EXPECT_EQ(Condition(status, "Backup"), "True Done ");
}

TEST(Status, WhatIsGoneFromTheCloudIsNotShown) {
  Report there = Available();
  rapidjson::Document observed = *json::Parse(R"({"id":"s-1"})");
  there.observation = std::move(static_cast<rapidjson::Value&>(observed));
  const std::string before = Render(std::move(there), "");
  ASSERT_THAT(before, HasSubstr(R"("atProvider":{"id":"s-1"})"));
  Report gone;
  gone.phase = Phase::kCreating;
  EXPECT_THAT(Render(std::move(gone), before), Not(HasSubstr("atProvider")));
}

TEST(Status, ARequestThatWasHandledIsSaid) {
  Report report = Available();
  report.handled_request = "token-1";
  EXPECT_THAT(Render(std::move(report), ""), HasSubstr(R"("lastHandledReconcileAt":"token-1")"));
}

}  // namespace
}  // namespace kupen::managed
