// Makes the cloud agree with one object: Crossplane's managed-resource contract, one step per function.
//
//   Reconciler reconciler({.kinds = apis::Registry(), .objects = objects, .scopes = scopes, …});
//   reconciler.SetHooks("compute.VirtualMachine", std::make_unique<VirtualMachineHooks>());
//   Workers workers(queue, {}, [&](const Key& key) { return reconciler.Reconcile(key, stop); });
//
// A settled object costs no request to either side.
//
// It keeps scopes alive that it uses. Whoever ends it removes them from Scopes first, so that no mirror reports to it
// afterwards.
//
// Thread safety: Reconcile() may be called from many threads at once, never twice at once for one key; the On…() methods from
// any thread.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "apis/model/kinds.h"
#include "provider/access/scope.h"
#include "provider/base/clock.h"
#include "provider/kube/client.h"
#include "provider/kube/events.h"
#include "provider/kube/watcher.h"
#include "provider/managed/hooks.h"
#include "provider/managed/objects.h"
#include "provider/openstack/mirror_store.h"
#include "provider/runtime/metrics.h"
#include "provider/runtime/token_bucket.h"
#include "provider/runtime/work_queue.h"
#include "provider/runtime/workers.h"

namespace kupen::managed {

struct ReconcilerOptions {
  // All must outlive the reconciler.
  const apis::Kinds& kinds;
  Objects& objects;
  const access::Scopes& scopes;
  const kube::Client& client;
  kube::EventRecorder& events;
  runtime::WorkQueue& queue;
  // Of the reconciles that call out.
  runtime::TokenBucket& rate;
  Clock& clock;
  // Of this Kubernetes cluster: ownership markers carry it.
  std::string cluster_id;
  // May be null.
  runtime::Metrics* metrics = nullptr;
  // How often the collections of the clouds are listed, in the calm.
  absl::Duration poll = absl::Seconds(30);
  // How far apart two lists must agree that a create had no effect whose answer was lost: what a service does after it has
  // dropped the connection takes less.
  absl::Duration lost_create_pause = absl::Minutes(1);
  // How many threads call Reconcile().
  int workers = 20;
};

class Reconciler {
 public:
  explicit Reconciler(ReconcilerOptions options);
  ~Reconciler();

  // Before the first Reconcile().
  void SetHooks(const std::string& kind, std::unique_ptr<Hooks> hooks);

  runtime::Outcome Reconcile(const runtime::Key& key, const std::stop_token& stop);

  // An object of the cloud is not what it was: reconciles the object that it belongs to.
  void OnCloudChange(const std::string& kind, const openstack::MirrorChange& change);
  // An object in Kubernetes has changed: reconciles those that wait for it.
  void OnObjectChange(const runtime::Key& key);
  // A Secret has changed, or all have been listed: reconciles those whose connection secret it is. From one thread at a time.
  void OnSecretEvent(const kube::WatchEvent& event);
  // A configuration has another scope now: reconciles its users.
  void OnScopeChange(const access::ConfigRef& config);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace kupen::managed
