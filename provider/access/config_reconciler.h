// Turns each ProviderConfig and ClusterProviderConfig into a scope, and tells in its status what is behind it.
//
//   ConfigReconciler configs({.provider_configs = …, .count_users = …, .on_scope_change = …});
//   kube::Watcher secrets(client, clock, SecretWatch::WatcherOptions(),
//                         [&](const kube::WatchEvent& event) { configs.secrets().Take(event); }, …);
//   … both stores are synced: configs.OnSynced();
//   Workers workers(queue, {}, [&](const Key& key) { return configs.Reconcile(key, stop); });
//
// An object gets the scope of its configuration (Scopes::Find) only once the configuration and its Secret carry finalizers, so
// that both outlive what was made with them:
//
//   no users            UNAVAILABLE, no finalizers
//   the first user      finalizers on the configuration and on the Secret, then the scope, then on_scope_change
//   the last user goes  UNAVAILABLE, then a second count; if that is 0 too, the finalizers go: the Secret's first
//
// An object is counted before it asks for a scope, so one that got it before the UNAVAILABLE is in the second count.
//
// Thread safety: Reconcile() may be called from many threads at once, never twice at once for one key; all others from any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "apis/model/kinds.h"
#include "provider/access/config_status.h"
#include "provider/access/credentials.h"
#include "provider/access/namespaces.h"
#include "provider/access/probe.h"
#include "provider/access/scope.h"
#include "provider/access/secret_watch.h"
#include "provider/base/clock.h"
#include "provider/kube/client.h"
#include "provider/kube/events.h"
#include "provider/kube/store.h"
#include "provider/openstack/transports.h"
#include "provider/runtime/work_queue.h"
#include "provider/runtime/workers.h"
#include "rapidjson/document.h"

namespace kupen::access {

struct ConfigReconcilerOptions {
  // All must outlive the reconciler.
  const kube::Store& provider_configs;
  const kube::Store& cluster_provider_configs;
  const kube::Client& client;
  kube::EventRecorder& events;
  // Where keys for Reconcile() go. One of its own, with workers of its own: a cloud that does not answer holds a worker.
  runtime::WorkQueue& queue;
  Scopes& scopes;
  Clock& clock;

  openstack::Transports transports;
  ScopeEvents scope_events;
  // What to look for in a cloud: ServiceTypesOf().
  std::vector<std::string> service_types;
  // The managed objects that use a configuration, and how many they are.
  std::function<int64_t(const ConfigRef& config)> count_users;
  std::function<std::vector<runtime::Key>(const ConfigRef& config)> users_of;
  // Whether all managed objects have been read: else a count is too low, and no finalizer is taken away.
  std::function<bool()> users_known;
  // Whoever waits for the configuration's scope should look again.
  std::function<void(const ConfigRef& config)> on_scope_change;
  // For the log: what keeps the reconciler from its work and is tried again.
  std::function<void(const ConfigRef& config, const absl::Status& problem)> on_problem;
  // Of the two kinds in the Kubernetes API. It also names the finalizer of Secrets, so that two that share no objects don't
  // share that either.
  std::string group = std::string(apis::kGroup);
};

class ConfigReconciler {
 public:
  explicit ConfigReconciler(ConfigReconcilerOptions options);
  ~ConfigReconciler();
  ConfigReconciler(const ConfigReconciler&) = delete;
  ConfigReconciler& operator=(const ConfigReconciler&) = delete;

  // Of keys of the two kinds, and of "Secret", which the reconciler itself puts into the queue.
  runtime::Outcome Reconcile(const runtime::Key& key, const std::stop_token& stop);

  // Both stores have their first list.
  void OnSynced();
  // An object began or ceased to use the configuration. To be called after the count has changed.
  void OnUsersChange(const ConfigRef& config);

  // To be given all Secrets' events.
  SecretWatch& secrets() { return secrets_; }

 private:
  // What is known of a configuration from one reconcile to the next. Of the one thread that reconciles it.
  struct State {
    kube::ObjectKey secret;
    std::shared_ptr<Scope> scope;
    int scopes_made = 0;
    // By the last probe of this scope that succeeded, and whether it was the last of all.
    std::optional<Findings> found;
    bool failing = false;
    // What objects were last told: all users hear of a change.
    std::string told;
    absl::Time status_written = absl::InfinitePast();
    bool told_in_use = false;
  };
  // The namespaces that a configuration serves.
  struct Served {
    bool all = false;
    std::set<std::string> names = {};
  };
  // One reconcile of one configuration.
  struct Turn {
    const ConfigRef& ref;
    State& state;
    const std::stop_token& stop;
    // As last read or written.
    rapidjson::Document object;
    // Whether finalizers must be there.
    bool in_use = false;
  };

  const kube::Store& StoreOf(absl::string_view kind) const;
  kube::Resource ResourceOf(absl::string_view kind) const;
  State& StateOf(const ConfigRef& ref);
  void Forget(const ConfigRef& ref);

  runtime::Outcome ReconcileConfig(Turn& turn);
  runtime::Outcome ReconcileSecret(const kube::ObjectKey& secret, const std::stop_token& stop);
  runtime::Outcome TryAgain(const ConfigRef& ref, const absl::Status& problem) const;

  // Who uses what.
  void CountUsers(Turn& turn);
  bool CanRelease() const;
  bool IsUsedByAny(const kube::ObjectKey& secret) const;
  absl::Status HoldConfig(Turn& turn) const;
  absl::Status ReleaseConfig(Turn& turn) const;
  absl::Status PatchConfig(Turn& turn, const std::string& patch) const;
  absl::StatusOr<rapidjson::Document> HoldOrReleaseSecret(const Turn& turn, const kube::ObjectKey& key);

  // From the object to a scope that objects may have. The error is the cause if there is none, or if it does not work.
  absl::Status Open(Turn& turn);
  absl::StatusOr<Served> Connect(Turn& turn);
  ScopeEvents ScopeEventsOf(const Turn& turn) const;
  absl::StatusOr<openstack::Cloud> ReadCloud(Turn& turn, const ConfigSpec& spec);
  absl::StatusOr<Served> ServedBy(const NamespaceSelector& selector);
  void Serve(Turn& turn, const Served& served);
  void Refuse(Turn& turn, const absl::Status& why);
  void Tell(Turn& turn, const std::string& what);

  // Gives how long a write must wait; zero if there is nothing more to write.
  absl::StatusOr<absl::Duration> WriteStatus(Turn& turn, const absl::Status& problem) const;
  ConfigStatus NewStatus(const Turn& turn, const ConfigStatus& before, const absl::Status& problem) const;
  std::string InUseMessage(const ConfigRef& ref) const;
  void RecordChange(const Turn& turn, const ConfigStatus& before, const ConfigStatus& after, const absl::Status& problem) const;
  void RecordInUse(const Turn& turn) const;
  kube::ObjectReference ReferenceTo(const Turn& turn) const;

  const ConfigReconcilerOptions options_;
  // m.kupenstack.io/in-use, on Secrets: when a namespace is deleted, its objects go from the cloud first, and that takes
  // credentials.
  const std::string secret_finalizer_;
  SecretWatch secrets_;

  // Over the reading and patching of a Secret: of two configurations with one Secret, one must not take away the finalizer that
  // the other has just seen there.
  std::mutex secret_mutex_;

  std::mutex mutex_;
  absl::flat_hash_map<ConfigRef, std::unique_ptr<State>> states_;
  // Those that had users when last looked at.
  absl::flat_hash_set<ConfigRef> in_use_;

  // Last: its thread uses the queue.
  Namespaces namespaces_;
};

}  // namespace kupen::access
