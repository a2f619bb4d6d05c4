#include "provider/kinds/image/upload_pool.h"

#include <utility>

#include "provider/base/backoff.h"

namespace kupen::kinds {
namespace {

constexpr BackoffOptions kBackoff = {.first = absl::Seconds(10), .limit = absl::Minutes(10)};
// Within this time everybody knows that an upload is done, and nobody asks for it again.
constexpr absl::Duration kDoneIsKept = absl::Minutes(1);
// Nobody has asked for so long after it could have been tried again: the object is gone.
constexpr absl::Duration kFailureIsKept = absl::Hours(1);

}  // namespace

UploadPool::UploadPool(Clock& clock, size_t threads) : clock_(clock) {
  threads_.reserve(threads);
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
}

absl::Status UploadPool::Advance(const std::string& uid, const std::string& what, Upload upload, std::function<void()> wake) {
  const std::lock_guard guard(mutex_);
  ForgetOld();
  const auto [found, is_new] = entries_.try_emplace(uid);
  Entry& entry = found->second;
  const bool same = entry.what == what;
  // If it is another: its end wakes the object, which then asks again for what it wants.
  if (!is_new && entry.state == State::kUnderWay) return absl::OkStatus();
  if (same && entry.state == State::kDone) return absl::OkStatus();
  if (same && clock_.Now() < entry.until) return entry.error;
  entry = {.what = what, .failures = same ? entry.failures : 0};
  jobs_.push_back({.uid = uid, .upload = std::move(upload), .wake = std::move(wake)});
  changed_.notify_one();
  return absl::OkStatus();
}

void UploadPool::Run(const std::stop_token& stop) {
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !jobs_.empty(); })) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    const absl::Status status = job.upload(stop);
    if (stop.stop_requested()) return;
    Finish(job.uid, status);
    job.wake();
  }
}

void UploadPool::Finish(const std::string& uid, const absl::Status& status) {
  const std::lock_guard guard(mutex_);
  Entry& entry = entries_[uid];
  entry.state = status.ok() ? State::kDone : State::kFailed;
  entry.error = status;
  const double chance = absl::Uniform(random_, 0.0, 1.0);
  entry.until = clock_.Now() + (status.ok() ? kDoneIsKept : kBackoff.After(++entry.failures, chance));
}

void UploadPool::ForgetOld() {
  const absl::Time now = clock_.Now();
  absl::erase_if(entries_, [now](const auto& named) {
    const Entry& entry = named.second;
    return entry.until + (entry.state == State::kFailed ? kFailureIsKept : absl::ZeroDuration()) < now;
  });
}

}  // namespace kupen::kinds
