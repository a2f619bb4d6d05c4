// Threads that take keys from a queue and reconcile them, with retries.
//
//   Workers workers(queue, {.threads = 10}, [&](const Key& key) -> Outcome { … });
//   …                      // runs until the object ends; what is under way is finished first
//
// Thread safety: the reconcile function is called from many threads at once, never twice at once for one key.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/random/random.h"
#include "absl/time/time.h"
#include "provider/base/backoff.h"
#include "provider/runtime/work_queue.h"

namespace kupen::runtime {

// What is to come after a reconcile.
class Outcome {
 public:
  // Nothing, until something changes.
  static Outcome AwaitChange() { return Outcome(Kind::kAwaitChange, absl::ZeroDuration()); }
  // Once more after that time. Failures so far are forgotten.
  static Outcome After(absl::Duration delay) { return Outcome(Kind::kAfter, delay); }
  // Once more after a time that grows with each failure in a row.
  static Outcome Retry() { return Outcome(Kind::kRetry, absl::ZeroDuration()); }

  // The same, but not after more than that time. A retry is soon enough as it is.
  Outcome NoLaterThan(absl::Duration delay) const {
    if (kind_ == Kind::kRetry || (kind_ == Kind::kAfter && delay_ <= delay)) return *this;
    return After(delay);
  }

  // When to come back at the latest, but for failures; nothing if there is no need to. A retry takes a second or more.
  std::optional<absl::Duration> delay() const {
    if (kind_ == Kind::kAwaitChange) return std::nullopt;
    return kind_ == Kind::kRetry ? absl::Seconds(1) : delay_;
  }

  bool failed() const { return kind_ == Kind::kRetry; }
  bool comes_back() const { return kind_ == Kind::kAfter; }

 private:
  friend class Workers;
  enum class Kind : uint8_t { kAwaitChange, kAfter, kRetry };
  Outcome(Kind kind, absl::Duration delay) : kind_(kind), delay_(delay) {}

  Kind kind_;
  absl::Duration delay_;
};

class Workers {
 public:
  using Reconcile = std::function<Outcome(const Key& key)>;

  struct Options {
    int threads = 10;
    BackoffOptions backoff = {.first = absl::Seconds(1), .limit = absl::Seconds(60)};
  };

  Workers(WorkQueue& queue, Options options, Reconcile reconcile);
  // Asks the threads to stop, and waits for them.
  ~Workers() = default;

 private:
  void Run(const std::stop_token& stop);
  void Settle(const Key& key, const Outcome& outcome);

  WorkQueue& queue_;
  const Options options_;
  const Reconcile reconcile_;
  std::mutex mutex_;
  absl::BitGen random_;
  absl::flat_hash_map<Key, int> failures_;
  // Last: they use all of the above, and must have ended before it goes.
  std::vector<std::jthread> threads_;
};

}  // namespace kupen::runtime
