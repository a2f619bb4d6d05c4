// Hears of changes of Secrets, and tells those configurations that read them.
//
//   SecretWatch secrets(finalizer, {.on_change = [&](const ConfigRef& config) { … }, .on_stray = …});
//   kube::Watcher watcher(client, clock, SecretWatch::WatcherOptions(), [&](const kube::WatchEvent& event) {
//   secrets.Take(event); }, …); secrets.Expect(config, {"team-a", "cloud"}); … get it … secrets.Read(config, {"team-a",
//   "cloud"}, resource_version);
//
// One watch for all Secrets of the cluster, of metadata alone; nothing is kept of Secrets that no configuration names.
//
// Thread safety: all methods may be called from any thread; Take() from one at a time. The callback is called without a lock.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "provider/access/scope.h"
#include "provider/kube/resource.h"
#include "provider/kube/watcher.h"

namespace kupen::access {

const kube::Resource& Secrets();

class SecretWatch {
 public:
  struct Events {
    // The Secret that the configuration has read is no longer what it was.
    std::function<void(const ConfigRef& config)> on_change;
    // A Secret carries the finalizer, and no configuration has read it so far.
    std::function<void(const kube::ObjectKey& secret)> on_stray;
  };

  // The finalizer is the one that Secrets in use carry.
  SecretWatch(std::string finalizer, Events events) : finalizer_(std::move(finalizer)), events_(std::move(events)) {}

  static kube::WatcherOptions WatcherOptions() { return {.resource = Secrets(), .scope = {.metadata_only = true}}; }
  void Take(const kube::WatchEvent& event);

  // The configuration is about to read this Secret, and no other: from now on it hears of changes.
  void Expect(const ConfigRef& config, const kube::ObjectKey& secret);
  // It has read it in this version; empty if there is no such Secret.
  void Read(const ConfigRef& config, const kube::ObjectKey& secret, absl::string_view version);
  // The configuration is gone.
  void Forget(const ConfigRef& config);

 private:
  void TakeVersion(const kube::ObjectKey& secret, absl::string_view version);
  std::vector<ConfigRef> ReadersOfOtherVersions(const kube::ObjectKey& secret, absl::string_view version) const;
  bool IsRead(const kube::ObjectKey& secret) const;
  void ForgetLocked(const ConfigRef& config);

  const std::string finalizer_;
  const Events events_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<ConfigRef, kube::ObjectKey> secret_of_;
  // The versions that they have read.
  std::map<kube::ObjectKey, absl::flat_hash_map<ConfigRef, std::string>> readers_;
  // Of Take() alone: what a list has not named so far, between its Init and InitDone.
  std::set<kube::ObjectKey> unseen_;
};

}  // namespace kupen::access
