#include "provider/managed/status.h"

#include <tuple>
#include <utility>

#include "provider/json/json.h"
#include "provider/kube/conditions.h"

namespace kupen::managed {
namespace {

using kube::Condition;
using rapidjson::Value;

// Of status.atProvider, in bytes; all of the status is then below 16 KiB.
constexpr size_t kLargestObservation = 8192;

absl::string_view Name(Phase phase) {
  switch (phase) {
    case Phase::kCreating:
      return "Creating";
    case Phase::kAvailable:
      return "Available";
    case Phase::kUnavailable:
      return "Unavailable";
    case Phase::kDeleting:
      return "Deleting";
  }
  return "";
}

Condition Of(absl::string_view type, bool is, absl::string_view reason, absl::string_view message = "") {
  return {.type = std::string(type),
          .status = is ? Condition::Status::kTrue : Condition::Status::kFalse,
          .reason = std::string(reason),
          .message = std::string(message)};
}

// What Crossplane's users read (Ready, Synced, UpToDate) and what kstatus reads (Reconciling, Stalled: never both).
std::vector<Condition> ConditionsOf(const Report& report) {
  if (report.paused) return {Of("Synced", false, "ReconcilePaused", kPausedMessage)};
  const bool failed = !report.problem.ok();
  std::vector<Condition> conditions;
  conditions.push_back(failed ? Of("Synced", false, "ReconcileError", report.problem.message())
                              : Of("Synced", true, "ReconcileSuccess"));
  const bool reconciling = failed || (report.phase != Phase::kAvailable && !report.at_rest);
  const bool progressing = reconciling && !report.stalled;
  conditions.push_back(Of("Reconciling", progressing, progressing ? "Progressing" : "Settled"));
  const absl::string_view cause = failed ? report.problem.message() : absl::string_view(report.phase_message);
  conditions.push_back(report.stalled ? Of("Stalled", true, "NeedsChange", cause) : Of("Stalled", false, "Settled"));
  if (!report.phase.has_value()) return conditions;
  conditions.push_back(Of("Ready", report.phase == Phase::kAvailable, Name(*report.phase), report.phase_message));
  if (!report.drift.empty()) {
    conditions.push_back(Of("UpToDate", false, report.update_failed ? "UpdateFailed" : "UpdateRestricted", report.drift));
  } else {
    conditions.push_back(failed ? Of("UpToDate", false, "ReconcileError") : Of("UpToDate", true, "ObserveMatched"));
  }
  return conditions;
}

Value RenderReferences(const std::vector<Resolved>& references, schema::Allocator& allocator) {
  Value list(rapidjson::kArrayType);
  for (const Resolved& reference : references) {
    Value entry(rapidjson::kObjectType);
    json::Set(entry, "field", reference.field, allocator);
    json::Set(entry, "object", reference.object, allocator);
    json::Set(entry, "id", reference.id, allocator);
    if (!reference.by.empty()) json::Set(entry, "by", reference.by, allocator);
    list.PushBack(entry, allocator);
  }
  return list;
}

// The object in a few plain values.
Value RenderFederation(const Report& report, Phase phase, schema::Allocator& allocator) {
  Value flat(rapidjson::kObjectType);
  const auto set = [&](absl::string_view name, absl::string_view text) {
    if (!text.empty()) json::Set(flat, name, text, allocator);
  };
  json::Set(flat, "ready", Value(phase == Phase::kAvailable), allocator);
  set("phase", Name(phase));
  if (!report.problem.ok()) set("reason", kube::StableMessage(report.problem.message()));
  set("externalID", report.external_id);
  set("address", report.address);
  set("region", report.region);
  set("zone", json::String(report.observation, {"availabilityZone"}));
  set("provider", "kupenstack");
  set("clusterID", report.cluster_id);
  return flat;
}

// Federations copy the status once for each cluster into one object. What is too much is left out, the largest first.
void Shrink(Value& observation, size_t largest) {
  while (json::Write(observation).size() > largest && !observation.ObjectEmpty()) {
    auto most = observation.MemberBegin();
    size_t size = 0;
    for (auto member = observation.MemberBegin(); member != observation.MemberEnd(); ++member) {
      const size_t own = json::String(member->name) == "id" ? 0 : json::Write(member->value).size();
      if (own > size) std::tie(most, size) = std::pair(member, own);
    }
    observation.EraseMember(most);
  }
}

}  // namespace

Value RenderStatus(Report& report, const Value& object, absl::Time now, schema::Allocator& allocator) {
  const Value* before = json::Find(object, {"status"});
  const Value* conditions = json::Find(object, {"status", "conditions"});
  if (!report.phase.has_value() && !report.paused && kube::FindCondition(object, "Ready") == nullptr)
    report.phase = Phase::kCreating;
  const Value* generation = json::Find(object, {"metadata", "generation"});
  const int64_t seen = generation != nullptr && generation->IsInt64() ? generation->GetInt64() : 0;
  const bool nothing_new = !report.phase.has_value() && before != nullptr && before->IsObject();
  Value status = nothing_new ? Value(*before, allocator) : Value(rapidjson::kObjectType);
  json::Set(status, "observedGeneration", Value(seen), allocator);
  json::Set(status, "conditions", kube::UpdateConditions(conditions, ConditionsOf(report), seen, now, allocator), allocator);
  if (!report.phase.has_value()) return status;
  if (!report.handled_request.empty()) json::Set(status, "lastHandledReconcileAt", report.handled_request, allocator);
  json::Set(status, "federation", RenderFederation(report, *report.phase, allocator), allocator);
  if (!report.references.empty()) json::Set(status, "references", RenderReferences(report.references, allocator), allocator);
  if (!report.observation.IsNull()) Shrink(report.observation, kLargestObservation);
  if (!report.observation.IsNull()) json::Set(status, "atProvider", std::move(report.observation), allocator);
  return status;
}

}  // namespace kupen::managed
