#include "test/fakes/fake_clock.h"

#include <utility>
#include <vector>

namespace kupen::test {

absl::Time FakeClock::Now() const {
  const std::lock_guard guard(mutex_);
  return now_;
}

void FakeClock::Wait(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed, absl::Time deadline,
                     const std::stop_token& stop) {
  Waiter self{.mutex = lock.mutex(), .changed = &changed};
  {
    const std::lock_guard guard(mutex_);
    if (now_ >= deadline) return;
    waiters_.insert(&self);
    waiters_changed_.notify_all();
  }
  changed.wait(lock, stop, [asked = false]() mutable { return std::exchange(asked, true); });
  // Without the caller's lock, which Advance() may need before it is done with us.
  lock.unlock();
  {
    std::unique_lock guard(mutex_);
    waiters_.erase(&self);
    waiters_changed_.wait(guard, [this] { return waking_ == 0; });
  }
  lock.lock();
}

void FakeClock::Advance(absl::Duration duration) {
  std::vector<Waiter> woken;
  {
    const std::lock_guard guard(mutex_);
    now_ += duration;
    for (const Waiter* waiter : waiters_) woken.push_back(*waiter);
    waiters_.clear();
    ++waking_;
  }
  for (const Waiter& waiter : woken) {
    // Its own mutex: between its look at the time and its wait nothing must get lost.
    const std::lock_guard guard(*waiter.mutex);
    waiter.changed->notify_all();
  }
  const std::lock_guard guard(mutex_);
  --waking_;
  waiters_changed_.notify_all();
}

void FakeClock::AwaitWaiters(size_t count) {
  std::unique_lock lock(mutex_);
  waiters_changed_.wait(lock, [this, count] { return waiters_.size() >= count; });
}

}  // namespace kupen::test
