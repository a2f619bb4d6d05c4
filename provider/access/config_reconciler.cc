#include "provider/access/config_reconciler.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "provider/access/finalizers.h"
#include "provider/access/problem.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "provider/kube/error.h"
#include "provider/openstack/error.h"

namespace kupen::access {
namespace {

using rapidjson::Document;
using rapidjson::Value;
using runtime::Key;
using runtime::Outcome;
using runtime::Priority;
using Status = kube::Condition::Status;

constexpr char kSecretKind[] = "Secret";
constexpr absl::string_view kVersion = "v1alpha1";
// How far status.users may lag behind: a thousand new objects are no reason for a thousand writes.
constexpr absl::Duration kUsersLag = absl::Seconds(5);
constexpr absl::Duration kAfterConflict = absl::Seconds(1);
// Costs no request to the cloud while the token is good.
constexpr absl::Duration kLookAgain = absl::Minutes(5);

std::string VersionOf(const Value& object) { return std::string(json::String(object, {"metadata", "resourceVersion"})); }

bool IsDeleting(const Value& object) { return json::Find(object, {"metadata", "deletionTimestamp"}) != nullptr; }

// Whether it is the user's to mend, and so belongs into the status: errors on the way to the API server don't.
bool IsTheUsers(const absl::Status& problem) { return ReasonOf(problem) != "Unknown"; }

// To users of the configuration UNAVAILABLE means that nothing is known of it yet; a cloud that cannot be reached is known.
absl::Status KnownProblem(const absl::Status& why) {
  if (!absl::IsUnavailable(why)) return why;
  absl::Status known = absl::FailedPreconditionError(why.message());
  why.ForEachPayload([&known](absl::string_view type, const absl::Cord& payload) { known.SetPayload(type, payload); });
  return known;
}

absl::Status SecretProblem(const kube::ObjectKey& secret, const absl::Status& status) {
  if (absl::IsNotFound(status)) {
    return Because(kSecretNotFound, absl::NotFoundError(absl::StrCat("Secret ", secret.ToString(), " does not exist")));
  }
  if (absl::IsPermissionDenied(status)) return Because(kMissingRight, status);
  return status;
}

}  // namespace

ConfigReconciler::ConfigReconciler(ConfigReconcilerOptions options)
    : options_(std::move(options)),
      secret_finalizer_(absl::StrCat(options_.group, "/in-use")),
      secrets_(secret_finalizer_, {.on_change =
                                       [this](const ConfigRef& config) {
                                         options_.queue.Add({config.kind, config.ns, config.name}, Priority::kChange);
                                       },
                                   .on_stray =
                                       [this](const kube::ObjectKey& secret) {
                                         options_.queue.Add({kSecretKind, secret.ns, secret.name}, Priority::kRequeue);
                                       }}),
      namespaces_(options_.client, options_.clock, [this] {
        for (const kube::ObjectPtr& config : options_.cluster_provider_configs.All()) {
          options_.queue.Add({std::string(kClusterProviderConfig), "", std::string(config->name())}, Priority::kChange);
        }
      }) {}

ConfigReconciler::~ConfigReconciler() = default;

const kube::Store& ConfigReconciler::StoreOf(absl::string_view kind) const {
  return kind == kProviderConfig ? options_.provider_configs : options_.cluster_provider_configs;
}

kube::Resource ConfigReconciler::ResourceOf(absl::string_view kind) const {
  const bool namespaced = kind == kProviderConfig;
  return {.group = options_.group,
          .version = std::string(kVersion),
          .plural = namespaced ? "providerconfigs" : "clusterproviderconfigs",
          .namespaced = namespaced};
}

ConfigReconciler::State& ConfigReconciler::StateOf(const ConfigRef& ref) {
  const std::lock_guard guard(mutex_);
  std::unique_ptr<State>& state = states_[ref];
  if (state == nullptr) state = std::make_unique<State>();
  return *state;
}

void ConfigReconciler::OnSynced() {
  for (const absl::string_view kind : {kProviderConfig, kClusterProviderConfig}) {
    for (const kube::ObjectPtr& config : StoreOf(kind).All()) {
      options_.scopes.Expect({std::string(kind), std::string(config->ns()), std::string(config->name())});
    }
  }
  options_.scopes.SetComplete();
}

void ConfigReconciler::OnUsersChange(const ConfigRef& config) {
  const bool in_use = options_.count_users(config) > 0;
  bool was_in_use = false;
  {
    const std::lock_guard guard(mutex_);
    was_in_use = in_use_.contains(config);
  }
  const Key key = {config.kind, config.ns, config.name};
  if (in_use == was_in_use) return options_.queue.AddAfter(key, Priority::kRequeue, kUsersLag);
  options_.queue.Add(key, Priority::kChange);
}

Outcome ConfigReconciler::Reconcile(const Key& key, const std::stop_token& stop) {
  if (key.kind == kSecretKind) return ReconcileSecret({key.object_namespace, key.name}, stop);
  const ConfigRef ref = {key.kind, key.object_namespace, key.name};
  const kube::ObjectPtr object = StoreOf(ref.kind).Get({ref.ns, ref.name});
  if (object == nullptr) {
    Forget(ref);
    return Outcome::AwaitChange();
  }
  absl::StatusOr<Document> parsed = json::Parse(object->json());
  if (!parsed.ok()) {
    options_.on_problem(ref, parsed.status());
    return Outcome::AwaitChange();
  }
  Turn turn = {.ref = ref, .state = StateOf(ref), .stop = stop, .object = *std::move(parsed)};
  return ReconcileConfig(turn);
}

void ConfigReconciler::Forget(const ConfigRef& ref) {
  options_.scopes.Remove(ref);
  secrets_.Forget(ref);
  std::unique_ptr<State> state;
  {
    const std::lock_guard guard(mutex_);
    in_use_.erase(ref);
    const auto found = states_.find(ref);
    if (found == states_.end()) return;
    state = std::move(found->second);
    states_.erase(found);
  }
  if (!state->secret.name.empty()) {
    options_.queue.Add({kSecretKind, state->secret.ns, state->secret.name}, Priority::kRequeue);
  }
  options_.on_scope_change(ref);
}

Outcome ConfigReconciler::ReconcileConfig(Turn& turn) {
  options_.scopes.Expect(turn.ref);
  CountUsers(turn);
  const absl::Status problem = Open(turn);
  if (!problem.ok() && !IsTheUsers(problem)) return TryAgain(turn.ref, problem);
  RecordInUse(turn);
  const absl::StatusOr<absl::Duration> wait = WriteStatus(turn, problem);
  if (!wait.ok()) return TryAgain(turn.ref, wait.status());
  if (const absl::Status released = ReleaseConfig(turn); !released.ok()) return TryAgain(turn.ref, released);
  if (!problem.ok()) return Outcome::Retry();
  if (*wait > absl::ZeroDuration()) return Outcome::After(*wait);
  return Outcome::After(CanRelease() ? kLookAgain : kUsersLag);
}

// Takes the finalizer from a Secret that no configuration in use names: one that was changed or deleted did so before.
Outcome ConfigReconciler::ReconcileSecret(const kube::ObjectKey& secret, const std::stop_token& stop) {
  if (!CanRelease()) return Outcome::After(kUsersLag);
  const std::lock_guard guard(secret_mutex_);
  if (IsUsedByAny(secret)) return Outcome::AwaitChange();
  const absl::StatusOr<Document> object = options_.client.Get(Secrets(), secret, stop);
  if (absl::IsNotFound(object.status())) return Outcome::AwaitChange();
  absl::Status done = object.status();
  if (object.ok() && HasFinalizer(*object, secret_finalizer_)) {
    done = options_.client
               .MergePatch(Secrets(), secret, WithoutFinalizer(*object, secret_finalizer_),
                           {.resource_version = VersionOf(*object)}, stop)
               .status();
  }
  return done.ok() ? Outcome::AwaitChange() : TryAgain({kSecretKind, secret.ns, secret.name}, done);
}

Outcome ConfigReconciler::TryAgain(const ConfigRef& ref, const absl::Status& problem) const {
  // Somebody else has changed or deleted the object: the watch brings what it is now.
  if (kube::IsConflict(problem) || absl::IsNotFound(problem)) return Outcome::After(kAfterConflict);
  options_.on_problem(ref, problem);
  return Outcome::Retry();
}

void ConfigReconciler::CountUsers(Turn& turn) {
  if (options_.count_users(turn.ref) == 0) {
    options_.scopes.Refuse(turn.ref, absl::UnavailableError("is being made ready for its first user"));
    turn.state.told.clear();
  }
  turn.in_use = options_.count_users(turn.ref) > 0 || (!CanRelease() && HasFinalizer(turn.object, kConfigInUse));
  const std::lock_guard guard(mutex_);
  if (turn.in_use) {
    in_use_.insert(turn.ref);
  } else {
    in_use_.erase(turn.ref);
  }
}

// Whether a count of 0 means that there are none.
bool ConfigReconciler::CanRelease() const {
  return options_.provider_configs.synced() && options_.cluster_provider_configs.synced() && options_.users_known();
}

bool ConfigReconciler::IsUsedByAny(const kube::ObjectKey& secret) const {
  for (const absl::string_view kind : {kProviderConfig, kClusterProviderConfig}) {
    for (const kube::ObjectPtr& config : StoreOf(kind).All()) {
      const ConfigRef ref = {std::string(kind), std::string(config->ns()), std::string(config->name())};
      const absl::StatusOr<Document> object = json::Parse(config->json());
      const absl::StatusOr<ConfigSpec> spec = object.ok() ? ParseConfig(ref, *object) : object.status();
      if (spec.ok() && spec->secret == secret && options_.count_users(ref) > 0) return true;
    }
  }
  return false;
}

absl::Status ConfigReconciler::HoldConfig(Turn& turn) const {
  if (!turn.in_use || HasFinalizer(turn.object, kConfigInUse)) return absl::OkStatus();
  if (IsDeleting(turn.object)) {
    return Because(kBeingDeleted, absl::FailedPreconditionError("is being deleted: no object can begin to use it"));
  }
  return PatchConfig(turn, WithFinalizer(turn.object, kConfigInUse));
}

absl::Status ConfigReconciler::ReleaseConfig(Turn& turn) const {
  if (turn.in_use || !CanRelease() || !HasFinalizer(turn.object, kConfigInUse)) return absl::OkStatus();
  return PatchConfig(turn, WithoutFinalizer(turn.object, kConfigInUse));
}

absl::Status ConfigReconciler::PatchConfig(Turn& turn, const std::string& patch) const {
  absl::StatusOr<Document> patched = options_.client.MergePatch(ResourceOf(turn.ref.kind), {turn.ref.ns, turn.ref.name}, patch,
                                                                {.resource_version = VersionOf(turn.object)}, turn.stop);
  if (!patched.ok()) return patched.status();
  turn.object.Swap(*patched);
  return absl::OkStatus();
}

absl::StatusOr<Document> ConfigReconciler::HoldOrReleaseSecret(const Turn& turn, const kube::ObjectKey& key) {
  const std::lock_guard guard(secret_mutex_);
  ASSIGN_OR_RETURN(Document secret, options_.client.Get(Secrets(), key, turn.stop));
  const bool held = HasFinalizer(secret, secret_finalizer_);
  std::string patch;
  if (turn.in_use && !held) {
    if (IsDeleting(secret)) {
      return Because(kBeingDeleted, absl::FailedPreconditionError(absl::StrCat(
                                        "Secret ", key.ToString(), " is being deleted: no object can begin to use it")));
    }
    patch = WithFinalizer(secret, secret_finalizer_);
  } else if (!turn.in_use && held && CanRelease() && !IsUsedByAny(key)) {
    patch = WithoutFinalizer(secret, secret_finalizer_);
  }
  if (patch.empty()) return secret;
  return options_.client.MergePatch(Secrets(), key, patch, {.resource_version = VersionOf(secret)}, turn.stop);
}

absl::Status ConfigReconciler::Open(Turn& turn) {
  const absl::StatusOr<Served> served = Connect(turn);
  if (!served.ok()) {
    if (IsTheUsers(served.status())) {
      turn.state.scope = nullptr;
      turn.state.found.reset();
      Refuse(turn, served.status());
    }
    return served.status();
  }
  absl::StatusOr<Findings> found = Probe(turn.state.scope->session(), options_.service_types, turn.stop);
  if (found.ok()) {
    turn.state.found = *found;
    // Those that failed meanwhile wait longer and longer: there is no need to any more.
    if (std::exchange(turn.state.failing, false)) turn.state.told.clear();
  }
  turn.state.failing = !found.ok();
  // What has worked may work again any moment, and says itself why it does not now.
  if (turn.state.found.has_value()) {
    Serve(turn, *served);
  } else {
    Refuse(turn, found.status());
  }
  return found.status();
}

absl::StatusOr<ConfigReconciler::Served> ConfigReconciler::Connect(Turn& turn) {
  RETURN_IF_ERROR(HoldConfig(turn));
  const absl::StatusOr<ConfigSpec> spec = ParseConfig(turn.ref, turn.object);
  if (!spec.ok()) return Because(kInvalidSpec, spec.status());
  ASSIGN_OR_RETURN(openstack::Cloud cloud, ReadCloud(turn, *spec));
  State& state = turn.state;
  if (state.scope == nullptr || !(state.scope->cloud() == cloud)) {
    state.scope = std::make_shared<Scope>(std::move(cloud), options_.transports, options_.clock, ScopeEventsOf(turn));
    state.found.reset();
    ++state.scopes_made;
  }
  return ServedBy(spec->namespaces);
}

// Those of the options, and an event for people.
ScopeEvents ConfigReconciler::ScopeEventsOf(const Turn& turn) const {
  ScopeEvents events = options_.scope_events;
  events.on_doubt = [reference = ReferenceTo(turn), &recorder = options_.events, told = options_.scope_events.on_doubt](
                        const std::string& kind, const std::string& message) {
    told(kind, message);
    recorder.Record(reference, kube::EventRecorder::Type::kWarning, "CloudInDoubt", message);
  };
  return events;
}

absl::StatusOr<openstack::Cloud> ConfigReconciler::ReadCloud(Turn& turn, const ConfigSpec& spec) {
  const kube::ObjectKey before = std::exchange(turn.state.secret, spec.secret);
  if (!before.name.empty() && !(before == spec.secret)) {
    options_.queue.Add({kSecretKind, before.ns, before.name}, Priority::kRequeue);
  }
  secrets_.Expect(turn.ref, spec.secret);
  const absl::StatusOr<Document> secret = HoldOrReleaseSecret(turn, spec.secret);
  if (!secret.ok()) {
    if (absl::IsNotFound(secret.status())) secrets_.Read(turn.ref, spec.secret, "");
    return SecretProblem(spec.secret, secret.status());
  }
  secrets_.Read(turn.ref, spec.secret, VersionOf(*secret));
  absl::StatusOr<openstack::Cloud> cloud = CloudOf(spec, *secret);
  if (!cloud.ok()) return Because(kInvalidCredentials, cloud.status());
  return cloud;
}

absl::StatusOr<ConfigReconciler::Served> ConfigReconciler::ServedBy(const NamespaceSelector& selector) {
  if (!selector.needs_labels()) return Served{.all = selector.names.empty(), .names = selector.names};
  absl::StatusOr<std::set<std::string>> labelled = namespaces_.WithLabels(selector.labels);
  if (absl::IsPermissionDenied(labelled.status())) return Because(kMissingRight, labelled.status());
  if (!labelled.ok()) return labelled.status();
  if (!selector.names.empty()) std::erase_if(*labelled, [&](const std::string& ns) { return !selector.names.contains(ns); });
  return Served{.all = false, .names = *std::move(labelled)};
}

void ConfigReconciler::Serve(Turn& turn, const Served& served) {
  if (!turn.in_use) return;
  options_.scopes.Set(turn.ref, turn.state.scope,
                      [served](absl::string_view ns) { return served.all || served.names.contains(std::string(ns)); });
  Tell(turn, absl::StrCat(turn.state.scopes_made, " for ", served.all ? "*" : absl::StrJoin(served.names, ",")));
}

void ConfigReconciler::Refuse(Turn& turn, const absl::Status& why) {
  options_.scopes.Refuse(turn.ref, KnownProblem(why));
  Tell(turn, why.ToString());
}

void ConfigReconciler::Tell(Turn& turn, const std::string& what) {
  if (std::exchange(turn.state.told, what) != what) options_.on_scope_change(turn.ref);
}

ConfigStatus ConfigReconciler::NewStatus(const Turn& turn, const ConfigStatus& before, const absl::Status& problem) const {
  ConfigStatus status = {.ready = {.type = "Ready", .status = Status::kTrue, .reason = "Available"}};
  if (!problem.ok()) {
    status.ready.status = Status::kFalse;
    status.ready.reason = ReasonOf(problem);
    status.ready.message = kube::StableMessage(problem.message());
  } else if (turn.in_use && IsDeleting(turn.object)) {
    status.ready.message = InUseMessage(turn.ref);
  }
  status.cloud = turn.state.found;
  status.users = options_.count_users(turn.ref);
  if (!CanRelease()) status.users = std::max(status.users, before.users);
  return status;
}

absl::StatusOr<absl::Duration> ConfigReconciler::WriteStatus(Turn& turn, const absl::Status& problem) const {
  // It is about to go.
  if (IsDeleting(turn.object) && !turn.in_use) return absl::ZeroDuration();
  const absl::Time now = options_.clock.Now();
  const ConfigStatus before = ConfigStatus::Of(turn.object);
  const ConfigStatus after = NewStatus(turn, before, problem);
  Document patch(rapidjson::kObjectType);
  auto& allocator = patch.GetAllocator();
  Value status = after.Render(turn.object, now, allocator);
  const Value* current = json::Find(turn.object, {"status"});
  if (current != nullptr && *current == status) return absl::ZeroDuration();

  // Numbers may lag.
  ConfigStatus calm = after;
  calm.users = before.users;
  calm.ready.message = before.ready.message;
  const absl::Duration wait = turn.state.status_written + kUsersLag - now;
  if (wait > absl::ZeroDuration() && current != nullptr && *current == calm.Render(turn.object, now, allocator)) return wait;

  const std::string api_version = absl::StrCat(options_.group, "/", kVersion);
  patch.AddMember("apiVersion", Value(api_version.c_str(), allocator), allocator);
  patch.AddMember("kind", Value(turn.ref.kind.c_str(), allocator), allocator);
  patch.AddMember("status", status, allocator);
  absl::StatusOr<Document> written =
      options_.client.Apply(ResourceOf(turn.ref.kind), {turn.ref.ns, turn.ref.name}, json::Write(patch),
                            {.subresource = "status", .resource_version = VersionOf(turn.object)}, turn.stop);
  if (!written.ok()) return written.status();
  turn.object.Swap(*written);
  turn.state.status_written = now;
  RecordChange(turn, before, after, problem);
  return absl::ZeroDuration();
}

std::string ConfigReconciler::InUseMessage(const ConfigRef& ref) const {
  std::map<std::string, int> kinds;
  const std::vector<Key> users = options_.users_of(ref);
  for (const Key& user : users) ++kinds[user.kind];
  const auto describe = [](std::string* text, const auto& kind) { absl::StrAppend(text, kind.second, " ", kind.first); };
  return absl::StrCat("is kept until nothing uses it any more; so far ", users.size(),
                      users.size() == 1 ? " object does: " : " objects do: ", absl::StrJoin(kinds, ", ", describe));
}

void ConfigReconciler::RecordChange(const Turn& turn, const ConfigStatus& before, const ConfigStatus& after,
                                    const absl::Status& problem) const {
  using Type = kube::EventRecorder::Type;
  if (problem.ok()) {
    if (before.ready.status == Status::kFalse) {
      options_.events.Record(ReferenceTo(turn), Type::kNormal, after.ready.reason, "the cloud can be used now");
    }
    return;
  }
  if (before.ready.reason == after.ready.reason && before.ready.message == after.ready.message) return;
  const std::string request = openstack::RequestIdOf(problem);
  options_.events.Record(ReferenceTo(turn), Type::kWarning, after.ready.reason,
                         absl::StrCat(after.ready.message, request.empty() ? "" : absl::StrCat(" (", request, ")")));
}

void ConfigReconciler::RecordInUse(const Turn& turn) const {
  if (!turn.in_use || !IsDeleting(turn.object) || std::exchange(turn.state.told_in_use, true)) return;
  options_.events.Record(ReferenceTo(turn), kube::EventRecorder::Type::kNormal, "InUse", InUseMessage(turn.ref));
}

kube::ObjectReference ConfigReconciler::ReferenceTo(const Turn& turn) const {
  return {.api_version = absl::StrCat(options_.group, "/", kVersion),
          .kind = turn.ref.kind,
          .key = {turn.ref.ns, turn.ref.name},
          .uid = std::string(json::String(turn.object, {"metadata", "uid"}))};
}

}  // namespace kupen::access
