#include "provider/http/watchdog.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace kupen::http {
namespace {

using SteadyClock = std::chrono::steady_clock;

// A connection may be in between: one address given up, the next not yet tried. So the bite is repeated.
constexpr auto kBiteAgain = std::chrono::milliseconds(20);
constexpr auto kLookAtLeast = std::chrono::hours(1);

SteadyClock::time_point After(absl::Duration timeout) {
  return SteadyClock::now() + absl::ToChronoNanoseconds(std::min(timeout, absl::Hours(24)));
}

}  // namespace

void Watchdog::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    next_ = Bite(SteadyClock::now());
    // Not yet when first asked, so that it waits; then at every wake-up, so that the time is computed again.
    changed_.wait_until(lock, stop, next_, [asked = false]() mutable { return std::exchange(asked, true); });
  }
}

Watchdog::Time Watchdog::Bite(Time now) {
  Time next = now + kLookAtLeast;
  for (Entry& entry : entries_) {
    if (entry.verdict == absl::StatusCode::kOk && entry.deadline <= now) entry.verdict = absl::StatusCode::kDeadlineExceeded;
    if (entry.verdict == absl::StatusCode::kOk) {
      next = std::min(next, entry.deadline);
    } else {
      if (entry.socket >= 0) shutdown(entry.socket, SHUT_RDWR);
      next = std::min<Time>(next, now + kBiteAgain);
    }
  }
  return next;
}

Watchdog::Exchange::Exchange(Watchdog& watchdog, absl::Duration timeout, const std::stop_token& stop) : watchdog_(watchdog) {
  bool sooner = false;
  {
    const std::lock_guard guard(watchdog_.mutex_);
    entry_ = watchdog_.entries_.insert(watchdog_.entries_.end(), {.deadline = After(timeout)});
    sooner = entry_->deadline < watchdog_.next_;
  }
  // Most have the same time and so come after those before them: a wake-up for each would cost as much as a small request.
  if (sooner) watchdog_.changed_.notify_all();
  on_stop_.emplace(stop, Cancel{this});
}

Watchdog::Exchange::~Exchange() {
  // First, and without the lock: it waits for a callback that is running.
  on_stop_.reset();
  const std::lock_guard guard(watchdog_.mutex_);
  watchdog_.entries_.erase(entry_);
}

void Watchdog::Exchange::OnCancel() {
  {
    const std::lock_guard guard(watchdog_.mutex_);
    if (entry_->verdict == absl::StatusCode::kOk) entry_->verdict = absl::StatusCode::kCancelled;
  }
  watchdog_.changed_.notify_all();
}

void Watchdog::Exchange::Watch(int socket) {
  const std::lock_guard guard(watchdog_.mutex_);
  entry_->socket = socket;
}

void Watchdog::Exchange::Extend(absl::Duration timeout) {
  const std::lock_guard guard(watchdog_.mutex_);
  entry_->deadline = After(timeout);
}

absl::StatusCode Watchdog::Exchange::verdict() const {
  const std::lock_guard guard(watchdog_.mutex_);
  return entry_->verdict;
}

}  // namespace kupen::http
