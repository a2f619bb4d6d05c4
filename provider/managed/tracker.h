// Which object of the cloud belongs to which object here. Keeps the mirrors informed of what we need from them.
//
//   tracker.Track(key, scope, mirror, id);
//   for (const Key& owner : tracker.OwnersOf("network.Network", id)) queue.Add(owner, …);
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "provider/access/scope.h"
#include "provider/openstack/mirror.h"
#include "provider/runtime/work_queue.h"

namespace kupen::managed {

class Tracker {
 public:
  // Whatever the key was tracked for before is untracked. The scope owns the mirror.
  void Track(const runtime::Key& key, std::shared_ptr<access::Scope> scope, openstack::Mirror& mirror, const std::string& id);
  void Untrack(const runtime::Key& key);
  // All of them. Mirrors whose scope nobody else holds have ended when it returns.
  void Clear();

  // Null if the key is not tracked.
  std::shared_ptr<access::Scope> ScopeOf(const runtime::Key& key) const;

  // More than one, if some only observe it.
  std::vector<runtime::Key> OwnersOf(const std::string& kind, const std::string& id) const;

 private:
  struct Entry {
    std::shared_ptr<access::Scope> scope;
    openstack::Mirror* mirror = nullptr;
    std::string id;
  };

  Entry TakeOut(const runtime::Key& key);

  mutable std::mutex mutex_;
  absl::flat_hash_map<runtime::Key, Entry> entries_;
  // By kind and id.
  absl::flat_hash_map<std::pair<std::string, std::string>, absl::flat_hash_set<runtime::Key>> owners_;
};

}  // namespace kupen::managed
