// What is to be reconciled: a set of keys with times.
//
//   queue.Add(key, Priority::kChange);                          // from a watch
//   while (std::optional<Key> key = queue.Take(stop)) {         // a worker
//     Reconcile(*key);
//     queue.Done(*key);
//   }
//
// Invariants: a key waits at most once, however often it is added, at the earliest of the times asked for. No two workers hold
// the same key: one that is added while it is held comes back after Done().
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "provider/base/clock.h"

namespace kupen::runtime {

// An object by kind, namespace (empty for cluster-scoped kinds) and name. Never the event that led to it: whoever handles a key
// looks at how things are now.
struct Key {
  std::string kind;
  std::string object_namespace;
  std::string name;

  friend bool operator==(const Key&, const Key&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const Key& key) {
    return H::combine(std::move(state), key.kind, key.object_namespace, key.name);
  }
};

// Who goes first among those whose time has come.
enum class Priority : uint8_t {
  kChange,   // somebody changed something, and may be watching
  kRequeue,  // asked for by an earlier reconcile
  kInitial,  // seen for the first time after a start: there may be thousands of these
};

class WorkQueue {
 public:
  explicit WorkQueue(Clock& clock) : clock_(clock) {}
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void Add(const Key& key, Priority priority) { AddAt(key, priority, absl::InfinitePast()); }
  void AddAfter(const Key& key, Priority priority, absl::Duration delay) { AddAt(key, priority, clock_.Now() + delay); }

  // Waits for a key whose time has come. Nothing after a stop.
  std::optional<Key> Take(const std::stop_token& stop);

  // The key that Take() gave is no longer held.
  void Done(const Key& key);

  // Keys whose time has come and that nobody holds.
  size_t Ready() const;
  // Keys that are held.
  size_t Held() const;
  // How long the one that is held longest has been; zero if none is.
  absl::Duration LongestHeld() const;
  // How often a key was added that did not wait already.
  uint64_t Adds() const;

 private:
  struct Entry {
    bool held = false;
    absl::Time held_since;
    // Whether it is to be handed out (again), when, and how urgently.
    bool wanted = false;
    absl::Time at;
    Priority priority = Priority::kInitial;
    uint64_t sequence = 0;
  };
  using Entries = absl::flat_hash_map<Key, Entry>;

  void AddAt(const Key& key, Priority priority, absl::Time at);
  void Schedule(const Key& key, Entry& entry);
  void Unschedule(const Entry& entry);
  void MoveDue();

  Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Entries entries_;
  uint64_t next_sequence_ = 0;
  uint64_t adds_ = 0;
  // Wanted and not held: by urgency and age once their time has come, by time before.
  std::map<std::pair<Priority, uint64_t>, Key> ready_;
  std::map<std::pair<absl::Time, uint64_t>, Key> waiting_;
};

}  // namespace kupen::runtime
