// Time as a seam: code that waits takes a Clock, so that tests can make hours pass at once.
//
//   std::unique_lock lock(mutex_);
//   while (queue_.empty() && !stop.stop_requested()) clock.Wait(lock, changed_, next_deadline, stop);
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "absl/time/time.h"

namespace kupen {

class Clock {
 public:
  virtual ~Clock() = default;

  virtual absl::Time Now() const = 0;

  // Waits until the variable is notified, the deadline has passed or a stop is requested; may also return early for no reason.
  // The lock is held on return, as with the variable's own wait.
  virtual void Wait(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed, absl::Time deadline,
                    const std::stop_token& stop) = 0;

  // Sleeps until the deadline or a stop. False if it was a stop.
  bool SleepUntil(absl::Time deadline, const std::stop_token& stop);
  bool SleepFor(absl::Duration duration, const std::stop_token& stop) { return SleepUntil(Now() + duration, stop); }
};

// The machine's clock. Lives for ever.
Clock& SystemClock();

}  // namespace kupen
