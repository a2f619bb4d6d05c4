#include "provider/managed/reconciler.h"

#include <map>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "provider/managed/pass.h"
#include "provider/managed/tracker.h"
#include "provider/managed/waiters.h"

namespace kupen::managed {
namespace {

using runtime::Key;
using runtime::Outcome;

// Versions of one object are numbers that grow.
uint64_t VersionOf(const kube::Object& object) {
  uint64_t version = 0;
  return absl::SimpleAtoi(object.resource_version(), &version) ? version : 0;
}

// What an earlier life of this process has said to be wrong.
std::string ProblemSaid(const rapidjson::Value& object) {
  const rapidjson::Value* synced = kube::FindCondition(object, "Synced");
  const bool wrong = synced != nullptr && json::String(*synced, {"status"}) == "False";
  return wrong ? std::string(json::String(*synced, {"message"})) : "";
}

}  // namespace

class Reconciler::Impl {
 public:
  explicit Impl(ReconcilerOptions options)
      : options_(std::move(options)), resolver_(options_.kinds, options_.objects, waiters_) {
    for (const apis::Kind& kind : options_.kinds.all()) {
      if (kind.managed()) kinds_.emplace(kind.reference(), kind);
    }
  }

  // Mirrors that end with us may still report something.
  ~Impl() { tracker_.Clear(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void SetHooks(const std::string& kind, std::unique_ptr<Hooks> hooks) { kinds_.at(kind).hooks = std::move(hooks); }

  Outcome Reconcile(const Key& key, const std::stop_token& stop) {
    const kube::ObjectPtr stored = options_.objects.Get(key);
    if (stored == nullptr) {
      Forget(key);
      return Outcome::AwaitChange();
    }
    Memory& memory = MemoryOf(key, *stored);
    const kube::ObjectPtr latest = Latest(stored, memory);
    absl::StatusOr<LiveObject> object = ParseObject(latest);
    if (!object.ok()) return Outcome::AwaitChange();
    if (memory.first_seen == absl::InfinitePast()) Meet(*object, key, memory);
    return Pass(shared_, kinds_.at(key.kind), key, *std::move(object), memory, stop).Run();
  }

  void OnCloudChange(const std::string& kind, const openstack::MirrorChange& change) {
    const std::vector<Key> owners = tracker_.OwnersOf(kind, change.id);
    for (const Key& owner : owners) options_.queue.Add(owner, runtime::Priority::kChange);
    if (owners.empty()) OnStrayChange(kind, change);
  }

  void OnObjectChange(const Key& key) {
    for (const Key& waiter : waiters_.Take(key)) options_.queue.Add(waiter, runtime::Priority::kChange);
  }

  void OnSecretEvent(const kube::WatchEvent& event) {
    for (const Key& owner : connections_.Take(event)) options_.queue.Add(owner, runtime::Priority::kRequeue);
  }

  void OnScopeChange(const access::ConfigRef& config) {
    for (const Key& user : options_.objects.UsersOf(config)) options_.queue.Add(user, runtime::Priority::kRequeue);
  }

 private:
  // Nobody's so far, but made for one of ours: by a create whose answer was lost or came too late.
  void OnStrayChange(const std::string& kind, const openstack::MirrorChange& change) {
    const std::optional<Marker> marker = Marker::FindIn(change.marker);
    if (!marker.has_value() || marker->cluster != options_.cluster_id.substr(0, marker->cluster.size())) return;
    for (const kube::ObjectPtr& object : options_.objects.StoreOf(kind)->All()) {
      if (object->uid() != marker->uid) continue;
      options_.queue.Add({.kind = kind, .object_namespace = std::string(object->ns()), .name = std::string(object->name())},
                         runtime::Priority::kChange);
    }
  }

  // Of this very object: another of the same name starts anew.
  Memory& MemoryOf(const Key& key, const kube::Object& object) {
    const std::lock_guard guard(mutex_);
    std::unique_ptr<Memory>& memory = memories_[key];
    if (memory == nullptr || memory->uid != object.uid()) {
      memory = std::make_unique<Memory>();
      memory->uid = std::string(object.uid());
    }
    return *memory;
  }

  void Forget(const Key& key) {
    tracker_.Untrack(key);
    const std::lock_guard guard(mutex_);
    memories_.erase(key);
  }

  // The mirror's, unless we have written since.
  static kube::ObjectPtr Latest(const kube::ObjectPtr& stored, Memory& memory) {
    if (memory.written == nullptr) return stored;
    if (memory.written->uid() == stored->uid() && VersionOf(*memory.written) > VersionOf(*stored)) return memory.written;
    memory.written = nullptr;
    return stored;
  }

  void Meet(const LiveObject& object, const Key& key, Memory& memory) const {
    memory.first_seen = options_.clock.Now();
    memory.last_problem = ProblemSaid(object.json);
    if (json::Find(object.json, {"status", "conditions"}) == nullptr) MeetFirst(object, key, memory);
    // An earlier life of this process may have sent a create, and ended before it could say so.
    memory.may_exist =
        kinds_.at(key.kind).HasMarker() && HasFinalizer(object.json) && Annotation(object.json, kExternalName).empty();
  }

  // No process has met it before.
  void MeetFirst(const LiveObject& object, const Key& key, Memory& memory) const {
    const std::optional<absl::Time> created = Timestamp(object.json, "creationTimestamp");
    if (options_.metrics == nullptr || !created.has_value()) return;
    options_.metrics->ObserveFirstReconcile(key.kind, memory.first_seen - *created);
    memory.never_ready_since = *created;
  }

  const ReconcilerOptions options_;
  std::map<std::string, ManagedKind, std::less<>> kinds_;
  Waiters waiters_;
  const Resolver resolver_;
  Tracker tracker_;
  ConnectionSecrets connections_{options_.client};
  runtime::Shares shares_{options_.workers, options_.queue};
  const Shared shared_ = {
      .options = options_, .resolver = resolver_, .tracker = tracker_, .connections = connections_, .shares = shares_};
  std::mutex mutex_;
  absl::flat_hash_map<Key, std::unique_ptr<Memory>> memories_;
};

Reconciler::Reconciler(ReconcilerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Reconciler::~Reconciler() = default;

void Reconciler::SetHooks(const std::string& kind, std::unique_ptr<Hooks> hooks) { impl_->SetHooks(kind, std::move(hooks)); }

Outcome Reconciler::Reconcile(const Key& key, const std::stop_token& stop) { return impl_->Reconcile(key, stop); }

void Reconciler::OnCloudChange(const std::string& kind, const openstack::MirrorChange& change) {
  impl_->OnCloudChange(kind, change);
}

void Reconciler::OnObjectChange(const Key& key) { impl_->OnObjectChange(key); }

void Reconciler::OnSecretEvent(const kube::WatchEvent& event) { impl_->OnSecretEvent(event); }

void Reconciler::OnScopeChange(const access::ConfigRef& config) { impl_->OnScopeChange(config); }

}  // namespace kupen::managed
