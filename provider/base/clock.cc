#include "provider/base/clock.h"

#include <utility>

#include "absl/time/clock.h"

namespace kupen {
namespace {

class RealClock final : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }

  void Wait(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed, absl::Time deadline,
            const std::stop_token& stop) override {
    // Not yet when first asked, so that it waits; then at every wake-up, so that it returns. Waiting by predicate is what makes
    // the standard library watch the stop token without losing a stop.
    const auto woken = [asked = false]() mutable { return std::exchange(asked, true); };
    if (deadline == absl::InfiniteFuture()) {
      changed.wait(lock, stop, woken);
    } else {
      changed.wait_until(lock, stop, absl::ToChronoTime(deadline), woken);
    }
  }
};

}  // namespace

bool Clock::SleepUntil(absl::Time deadline, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never_notified;
  std::unique_lock lock(mutex);
  while (Now() < deadline && !stop.stop_requested()) Wait(lock, never_notified, deadline, stop);
  return !stop.stop_requested();
}

Clock& SystemClock() {
  static RealClock* const kClock = new RealClock;
  return *kClock;
}

}  // namespace kupen
