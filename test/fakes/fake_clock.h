// A clock that stands still until a test moves it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>

#include "absl/time/time.h"
#include "provider/base/clock.h"

namespace kupen::test {

class FakeClock final : public Clock {
 public:
  explicit FakeClock(absl::Time now = absl::FromUnixSeconds(1'800'000'000)) : now_(now) {}

  absl::Time Now() const override;
  void Wait(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed, absl::Time deadline,
            const std::stop_token& stop) override;

  // Moves time on and wakes whoever waits for it.
  void Advance(absl::Duration duration);

  // Returns once that many threads wait on this clock and have not been woken: only then does Advance() find them.
  void AwaitWaiters(size_t count);

 private:
  struct Waiter {
    std::mutex* mutex;
    std::condition_variable_any* changed;
  };

  mutable std::mutex mutex_;
  std::condition_variable waiters_changed_;
  absl::Time now_;
  std::set<Waiter*> waiters_;
  // While Advance() wakes them, nobody may leave: a waiter's mutex may end with the function that waits.
  int waking_ = 0;
};

}  // namespace kupen::test
