#include "provider/managed/pass.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "provider/access/secret_watch.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "provider/kube/error.h"
#include "provider/openstack/error.h"
#include "provider/runtime/log.h"

namespace kupen::managed {
namespace {

using rapidjson::Value;
using runtime::Outcome;

// Most objects are ready so soon that a status before that would only be one more write: after they are first seen, and after
// the cloud has begun to make them.
constexpr absl::Duration kQuietStart = absl::Seconds(3);
constexpr absl::Duration kQuietCreation = absl::Seconds(10);
// A full quota or a wrong parameter: only other people's actions help, and they don't tell us.
constexpr absl::Duration kStalledPause = absl::Minutes(5);

constexpr absl::string_view kPaused = "crossplane.io/paused";
constexpr absl::string_view kPollInterval = "crossplane.io/poll-interval";
// However often somebody wants it.
constexpr absl::Duration kShortestPoll = absl::Seconds(5);
// For so long it is no news that a service asks us to be slow.
constexpr absl::Duration kQuietSlowness = absl::Seconds(30);

std::optional<absl::Duration> PollIntervalOf(const Value& object) {
  absl::Duration interval;
  if (!absl::ParseDuration(Annotation(object, kPollInterval), &interval)) return std::nullopt;
  return std::max(interval, kShortestPoll);
}

absl::StatusOr<std::string> ReadSecret(const kube::Client& client, const std::string& ns, const std::string& name,
                                       const std::string& key, const std::stop_token& stop) {
  const absl::StatusOr<rapidjson::Document> secret = client.Get(access::Secrets(), {ns, name}, stop);
  if (absl::IsNotFound(secret.status())) {
    return absl::FailedPreconditionError(absl::StrCat("there is no Secret ", name, " in this namespace"));
  }
  RETURN_IF_ERROR(secret.status());
  const Value* value = json::Find(*secret, {"data", key});
  std::string decoded;
  if (value == nullptr || !absl::Base64Unescape(json::String(*value), &decoded)) {
    return absl::FailedPreconditionError(absl::StrCat("Secret ", name, " has no key ", key));
  }
  return decoded;
}

}  // namespace

Pass::Pass(const Shared& shared, const ManagedKind& kind, const runtime::Key& key, LiveObject object, Memory& memory,
           const std::stop_token& stop)
    : shared_(shared),
      kind_(kind),
      key_(key),
      object_key_(object.stored->key()),
      object_(std::move(object)),
      memory_(memory),
      stop_(stop),
      writer_(shared.options.client, kind, stop),
      operation_id_(openstack::NewOperationId()),
      wake_([&queue = shared.options.queue, key] { queue.Add(key, runtime::Priority::kRequeue); }),
      read_secret_([this](const std::string& secret, const std::string& member) {
        return ReadSecret(shared_.options.client, key_.object_namespace, secret, member, stop_);
      }) {
  report_.cluster_id = shared.options.cluster_id;
  report_.handled_request = std::string(Annotation(object_.json, kRequestedAt));
  report_.references = memory.references.empty() ? ResolvedBefore(object_.json) : memory.references;
}

Outcome Pass::Run() {
  const absl::StatusOr<Policies> policies = Policies::Parse(json::Find(object_.json, {"spec", "managementPolicies"}));
  if (Annotated(kPaused, "true") || (policies.ok() && policies->paused())) {
    report_.paused = true;
    if (memory_.last_problem != kPausedMessage) {
      Tell(kube::EventRecorder::Type::kNormal, "ReconciliationPaused", kPausedMessage);
    }
    memory_.last_problem = std::string(kPausedMessage);
    return Finish(Outcome::AwaitChange(), true);
  }
  if (!policies.ok()) return Fail("CannotUseInvalidManagementPolicy", "spec.managementPolicies", policies.status());
  policies_ = *policies;
  if (deleting()) return RunDeletion();
  poll_ = PollIntervalOf(object_.json);
  const Outcome outcome = RunLive();
  return poll_.has_value() ? outcome.NoLaterThan(*poll_) : outcome;
}

Outcome Pass::RunLive() {
  if (std::optional<Outcome> ended = Connect()) return *ended;
  const absl::StatusOr<Existence> existence = Locate();
  if (!existence.ok()) return Fail("CannotObserveExternalResource", "observe failed", existence.status());
  switch (*existence) {
    case Existence::kUnknown:
      // Without a phase nothing has been learned that the status does not say.
      return report_.phase.has_value() ? Finish(Outcome::After(wait_), false) : Outcome::After(wait_);
    case Existence::kAbsent:
      return Create();
    case Existence::kPresent:
      return Compare();
  }
  return Outcome::AwaitChange();
}

std::optional<Outcome> Pass::Connect() {
  const access::ConfigRef config = ConfigRefOf(object_.json, key_.object_namespace);
  const absl::StatusOr<std::shared_ptr<access::Scope>> scope = shared_.options.scopes.Find(config, key_.object_namespace);
  if (!scope.ok()) {
    // It is on its way, and wakes its users then.
    if (absl::IsUnavailable(scope.status())) return Outcome::AwaitChange();
    return Fail("CannotConnectToProvider", "connect failed: spec.providerConfigRef", scope.status());
  }
  scope_ = *scope;
  if (memory_.scope.lock() != scope_) {
    memory_.scope = scope_;
    memory_.scope_since = shared_.options.clock.Now();
  }
  permit_ = shared_.shares.Enter(scope_->cloud().auth_url, key_);
  if (!permit_) return Outcome::AwaitChange();
  const absl::StatusOr<std::shared_ptr<const openstack::Token>> token = scope_->session().GetToken(stop_);
  if (!token.ok()) return Fail("CannotConnectToProvider", "connect failed", token.status());
  mirror_ = &scope_->MirrorOf(
      kind_.name, [&] { return kind_.MirrorSpec(**token, shared_.options.poll); },
      [&](openstack::Mirror& mirror) { TrackAllOf(mirror); });
  rest_ = std::make_unique<openstack::Rest>(scope_->session(), kind_.rest);
  report_.region = scope_->cloud().region;
  return std::nullopt;
}

// Before the mirror's first list, so that it answers for all objects at once after a start.
void Pass::TrackAllOf(openstack::Mirror& mirror) const {
  for (const runtime::Key& user : shared_.options.objects.UsersOf(ConfigRefOf(object_.json, key_.object_namespace))) {
    if (user.kind != kind_.name) continue;
    const kube::ObjectPtr stored = shared_.options.objects.Get(user);
    if (stored == nullptr) continue;
    const absl::StatusOr<LiveObject> object = ParseObject(stored);
    if (!object.ok() || json::String(object->json, {"status", "atProvider", "id"}).empty()) continue;
    const absl::string_view id = Annotation(object->json, kExternalName);
    if (!id.empty()) shared_.tracker.Track(user, scope_, mirror, std::string(id));
  }
}

absl::StatusOr<Value> Pass::Resolve(Value parameters, schema::Allocator& allocator) {
  const ResolveRequest request{.self = key_,
                               .object = object_.json,
                               .plan = kind_.plan.parameters,
                               .known = report_.references,
                               .session = scope_->session(),
                               .stop = stop_};
  ASSIGN_OR_RETURN(std::vector<Resolved> resolved, shared_.resolver.Resolve(request, parameters, allocator));
  memory_.references = resolved;
  report_.references = std::move(resolved);
  return parameters;
}

HookContext Pass::Hook() {
  return {.session = {scope_, &scope_->session()},
          .key = object_key_,
          .uid = memory_.uid,
          .operation_id = operation_id_,
          .read_secret = read_secret_,
          .wake = wake_,
          .stop = stop_};
}

void Pass::ObserveReady() {
  const absl::Time now = shared_.options.clock.Now();
  if (shared_.options.metrics == nullptr || memory_.never_ready_since > now) return;
  shared_.options.metrics->ObserveFirstReady(kind_.name, now - memory_.never_ready_since);
  memory_.never_ready_since = absl::InfiniteFuture();
}

void Pass::ObserveDrift() const {
  const absl::Time now = shared_.options.clock.Now();
  const Value* wanted = json::Find(object_.json, {"metadata", "generation"});
  const Value* seen = json::Find(object_.json, {"status", "observedGeneration"});
  const bool spec_changed = wanted == nullptr || seen == nullptr || *wanted != *seen;
  if (shared_.options.metrics == nullptr || spec_changed || memory_.last_good > now) return;
  shared_.options.metrics->ObserveDrift(kind_.name, now - memory_.last_good);
}

void Pass::AwaitRate() const { shared_.options.clock.SleepFor(shared_.options.rate.Take(), stop_); }

Marker Pass::marker() const {
  return {.cluster = shared_.options.cluster_id.substr(0, 8), .uid = std::string(object_.stored->uid())};
}

Outcome Pass::Fail(absl::string_view event, absl::string_view doing, const absl::Status& problem) {
  // The object has changed meanwhile: no news for people, and the mirror is about to have it.
  if (absl::IsAborted(problem) && openstack::HttpStatusOf(problem) == 0) return Outcome::Retry();
  const openstack::Disposition disposition = openstack::DispositionOf(problem);
  if (disposition == openstack::Disposition::kRetryAfter && IsBriefSlowness()) {
    return Outcome::After(openstack::RetryAfterOf(problem));
  }
  report_.problem = Annotate(problem, doing);
  const std::string request_id = openstack::RequestIdOf(problem);
  const std::string message(report_.problem.message());
  if (std::string said = kube::StableMessage(message); said != memory_.last_problem && !IsQuiet(disposition)) {
    Tell(kube::EventRecorder::Type::kWarning, event,
         request_id.empty() ? message : absl::StrCat(message, " (request ", request_id, ")"));
    memory_.last_problem = std::move(said);
  }
  switch (disposition) {
    case openstack::Disposition::kTerminal:
    case openstack::Disposition::kQuota:
      report_.stalled = true;
      return Finish(Outcome::After(kStalledPause), true);
    case openstack::Disposition::kRetryAfter:
      return Finish(Outcome::After(openstack::RetryAfterOf(problem)), false);
    case openstack::Disposition::kWait:
    case openstack::Disposition::kRetry:
      break;
  }
  return Finish(Outcome::Retry(), false);
}

// What goes away by itself within seconds, as an object that others were applied together with, is no news for people.
bool Pass::IsQuiet(openstack::Disposition disposition) const {
  const bool passing = disposition == openstack::Disposition::kWait || disposition == openstack::Disposition::kRetry;
  return passing && QuietTime() > absl::ZeroDuration();
}

bool Pass::IsBriefSlowness() {
  memory_.slowed_since = std::min(memory_.slowed_since, shared_.options.clock.Now());
  return shared_.options.clock.Now() - memory_.slowed_since < kQuietSlowness;
}

absl::Duration Pass::QuietTime() const {
  if (json::Find(object_.json, {"status", "conditions"}) != nullptr) return absl::ZeroDuration();
  const absl::Time until = std::max(memory_.first_seen + kQuietStart, memory_.posted + kQuietCreation);
  return until - shared_.options.clock.Now();
}

// While an object is on its way, its state changes by the second and the conditions say all that there is to say.
bool Pass::SaysTheSame() const {
  if (!report_.problem.ok() || report_.phase != Phase::kCreating) return false;
  const Value* ready = kube::FindCondition(object_.json, "Ready");
  return ready != nullptr && json::String(*ready, {"reason"}) == "Creating" &&
         json::String(*ready, {"message"}) == report_.phase_message &&
         json::Find(object_.json, {"status", "atProvider", "id"}) != nullptr;
}

Outcome Pass::Finish(Outcome outcome, bool settled) {
  if (report_.problem.ok()) memory_.slowed_since = absl::InfiniteFuture();
  if (report_.problem.ok() && !report_.paused) memory_.last_problem.clear();
  const absl::Duration quiet = QuietTime();
  if (!settled && quiet > absl::ZeroDuration()) return outcome.NoLaterThan(quiet);

  if (!settled && SaysTheSame()) return outcome;
  const std::string handled(json::String(object_.json, {"status", "lastHandledReconcileAt"}));
  rapidjson::Document status;
  Value rendered = RenderStatus(report_, object_.json, shared_.options.clock.Now(), status.GetAllocator());
  Step(CrashAt::kStatusBegins);
  absl::Status written = writer_.SetStatus(object_, rendered);
  if (absl::IsInvalidArgument(written)) written = WriteLess(written, rendered);
  Step(CrashAt::kStatusWritten);
  memory_.written = object_.stored;
  // Gone, or another by now: there will be news of that.
  if (absl::IsNotFound(written)) return Outcome::AwaitChange();
  if (!written.ok()) return Outcome::Retry();
  if (report_.phase == Phase::kAvailable) ObserveReady();
  if (json::String(object_.json, {"status", "lastHandledReconcileAt"}) != handled) {
    Tell(kube::EventRecorder::Type::kNormal, "ReconcileRequestHandled",
         absl::StrCat("the cloud was asked, as ", kRequestedAt, ": ", report_.handled_request, " wants it"));
  }
  return outcome;
}

// The API server refuses the status: the object may be another by now; or the cloud says something that the CRD does not allow,
// which must not hide the conditions.
absl::Status Pass::WriteLess(const absl::Status& refused, Value& status) {
  const absl::StatusOr<rapidjson::Document> present = shared_.options.client.Get(kind_.resource, object_key_, stop_);
  RETURN_IF_ERROR(present.status());
  if (json::String(*present, {"metadata", "uid"}) != memory_.uid) return absl::NotFoundError("another object by now");
  log::Warning("the API server refuses a status; writing less of it",
               {{"kind", kind_.name}, {"name", object_key_.ToString()}, {"error", refused}});
  Tell(kube::EventRecorder::Type::kWarning, "CannotUpdateManagedResource",
       absl::StrCat("status.atProvider is left out, as the API server refuses it: ", refused.message()));
  for (const char* const member : {"atProvider", "references"}) status.RemoveMember(member);
  return writer_.SetStatus(object_, status);
}

void Pass::Tell(kube::EventRecorder::Type type, absl::string_view reason, absl::string_view message) const {
  const std::string id = id_.empty() ? std::string(Annotation(object_.json, kExternalName)) : id_;
  kube::EventRecorder::Annotations annotations;
  if (!id.empty()) annotations.emplace_back("external-name", id);
  shared_.options.events.Record(kind_.ReferenceTo(*object_.stored), type, reason, message, annotations);
}

}  // namespace kupen::managed
