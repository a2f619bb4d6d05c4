#include "provider/runtime/workers.h"

#include <optional>
#include <utility>

namespace kupen::runtime {

Workers::Workers(WorkQueue& queue, Options options, Reconcile reconcile)
    : queue_(queue), options_(options), reconcile_(std::move(reconcile)) {
  threads_.reserve(static_cast<size_t>(options_.threads));
  for (int i = 0; i < options_.threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
  }
}

void Workers::Run(const std::stop_token& stop) {
  while (const std::optional<Key> key = queue_.Take(stop)) {
    Settle(*key, reconcile_(*key));
    queue_.Done(*key);
  }
}

void Workers::Settle(const Key& key, const Outcome& outcome) {
  absl::Duration delay = outcome.delay_;
  {
    const std::lock_guard guard(mutex_);
    if (outcome.kind_ == Outcome::Kind::kRetry) {
      delay = options_.backoff.After(++failures_[key], absl::Uniform(random_, 0.0, 1.0));
    } else {
      failures_.erase(key);
    }
  }
  if (outcome.kind_ != Outcome::Kind::kAwaitChange) queue_.AddAfter(key, Priority::kRequeue, delay);
}

}  // namespace kupen::runtime
