// Who waits for which object.
//
//   waiters.Wait(vm, network);                       // until the network changes
//   waiters.WaitForAny(vm, "network.Network", ns);   // until any network of that namespace changes
//   for (const Key& key : waiters.Take(changed)) queue.Add(key, …);
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "provider/runtime/work_queue.h"

namespace kupen::managed {

class Waiters {
 public:
  void Wait(const runtime::Key& who, const runtime::Key& for_what);
  void WaitForAny(const runtime::Key& who, const std::string& kind, const std::string& ns) {
    Wait(who, {.kind = kind, .object_namespace = ns, .name = ""});
  }

  // Those who waited for the object. They no longer do.
  std::vector<runtime::Key> Take(const runtime::Key& changed);

 private:
  std::mutex mutex_;
  absl::flat_hash_map<runtime::Key, absl::flat_hash_set<runtime::Key>> waiting_;
};

}  // namespace kupen::managed
