// What the process tells Prometheus, under the names that dashboards for Crossplane's providers and for Go controllers know.
//
//   Metrics metrics({.version = "0.1.0", .kinds = {{"network.Network", "network.m.kupenstack.io/v1alpha1, Kind=Network"}},
//                    .queue = &queue});
//   metrics.ObserveReconcile("network.Network", Metrics::Result::kSuccess, took);
//   metrics.Text()                                 // for GET /metrics
//
// Kinds go by reference (network.Network). Of a kind that was not named at the start, nothing is counted.
//
// Thread safety: all methods may be called from any thread; each takes about a microsecond, Text() longer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/runtime/work_queue.h"

namespace kupen::runtime {

struct MetricsKind {
  // network.Network
  std::string reference;
  // How Crossplane labels it: "network.m.kupenstack.io/v1alpha1, Kind=Network". Empty for a kind that is no managed resource.
  std::string gvk = "";
};

struct MetricsOptions {
  std::string version;
  std::vector<MetricsKind> kinds;
  // May be null; else it must outlive this.
  const WorkQueue* queue = nullptr;
};

class Metrics {
 public:
  enum class Result : uint8_t { kSuccess, kRequeueAfter, kError };

  explicit Metrics(const MetricsOptions& options);
  ~Metrics();

  // A reconcile has ended.
  void ObserveReconcile(absl::string_view kind, Result result, absl::Duration took);

  // Of managed resources, each once in an object's life: from its creation to its first reconcile; from its creation to its
  // first Ready; from its deletionTimestamp to the removal of our finalizer.
  void ObserveFirstReconcile(absl::string_view kind, absl::Duration since_creation);
  void ObserveFirstReady(absl::string_view kind, absl::Duration since_creation);
  void ObserveDeletion(absl::string_view kind, absl::Duration since_request);
  // The cloud's object is no longer as it should be: how long ago it was last seen to be.
  void ObserveDrift(absl::string_view kind, absl::Duration since_last_seen_good);

  // How many objects of a kind there are, and of them how many have Ready and Synced True.
  void SetStates(absl::string_view kind, size_t exists, size_t ready, size_t synced);

  // A request has been answered. Status 0: there was no answer.
  void CountOpenStackRequest(absl::string_view service, absl::string_view method, int status);
  void CountApiServerRequest(absl::string_view method, int status);

  void SetLeader(bool leader);

  // In Prometheus' text format, with the state of the process as it is now.
  std::string Text() const;
  static constexpr absl::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace kupen::runtime
