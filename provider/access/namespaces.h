// Labels of namespaces, for configurations that select by them. Crossplane gives no right to read namespaces, so they are not
// read before somebody needs them.
//
//   Namespaces namespaces(client, clock, [&] { … });
//   ASSIGN_OR_RETURN(const std::set<std::string> served, namespaces.WithLabels({{"cloud", "default"}}));
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "provider/base/clock.h"
#include "provider/kube/client.h"
#include "provider/kube/store.h"
#include "provider/kube/watcher.h"

namespace kupen::access {

class Namespaces {
 public:
  // Client and clock must outlive this. The callback is called from a thread of its own when another call of WithLabels() may
  // have another result.
  Namespaces(const kube::Client& client, Clock& clock, std::function<void()> on_change);

  // The first call starts to read. UNAVAILABLE: that is not done yet. PERMISSION_DENIED says which right is missing.
  absl::StatusOr<std::set<std::string>> WithLabels(const std::map<std::string, std::string>& labels);

 private:
  void Start();
  void TakeProblem(const absl::Status& problem);

  const kube::Client& client_;
  Clock& clock_;
  const std::function<void()> on_change_;
  kube::Store store_;
  std::mutex mutex_;
  absl::Status problem_;
  std::unique_ptr<kube::Watcher> watcher_;
  // Last: ends first.
  std::jthread thread_;
};

}  // namespace kupen::access
