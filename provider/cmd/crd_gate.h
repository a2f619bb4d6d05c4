// Safe-start: a kind is watched once its CRD is there, established and served, whenever that is.
//
//   WorkQueue crds(clock);
//   CrdGate gate(apis::Registry(), client, crds, [&](const apis::Kind& kind) { Watch(kind); });
//   Watcher watcher(client, clock, CrdGate::WatcherOptions(), [&](const WatchEvent& event) { gate.Take(event); }, …);
//   Workers workers(crds, {.threads = 4}, [&](const Key& key) { return gate.Reconcile(key, stop); });
//
// CRDs are watched by their metadata alone (a cluster may have a thousand large ones), and of ours that change the whole is
// fetched. A kind that was opened stays so: its watch outlives a CRD that goes and comes back.
//
// Thread safety: all methods may be called from any thread; Take() from one at a time, Reconcile() never twice at once for one
// key.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>

#include "absl/strings/string_view.h"
#include "apis/model/kinds.h"
#include "provider/kube/client.h"
#include "provider/kube/watcher.h"
#include "provider/runtime/work_queue.h"
#include "provider/runtime/workers.h"
#include "rapidjson/document.h"

namespace kupen::cmd {

// Whether the API server serves the kind's version by this CRD.
bool IsServed(const rapidjson::Value& crd, const apis::Kind& kind);

class CrdGate {
 public:
  // Called once for each kind, from Reconcile(): for several kinds at once.
  using Open = std::function<void(const apis::Kind& kind)>;

  // Kinds, client and queue must outlive this.
  CrdGate(const apis::Kinds& kinds, const kube::Client& client, runtime::WorkQueue& queue, Open open);

  static kube::WatcherOptions WatcherOptions();
  // Queues our CRDs that have changed and whose kind is not open yet.
  void Take(const kube::WatchEvent& event);
  runtime::Outcome Reconcile(const runtime::Key& key, const std::stop_token& stop);

  // Whether all CRDs that were there at the start have been looked at.
  bool settled() const;

 private:
  // Null if it is none of ours, or open.
  const apis::Kind* FindClosed(absl::string_view crd) const;
  void Opened(const std::string& crd);

  const kube::Client& client_;
  runtime::WorkQueue& queue_;
  const Open open_;
  mutable std::mutex mutex_;
  bool listed_ = false;
  // By the name of their CRD.
  std::map<std::string, const apis::Kind*, std::less<>> closed_;
  // Named by the first list, and not looked at yet.
  std::set<std::string, std::less<>> unsettled_;
};

}  // namespace kupen::cmd
