#include "provider/openstack/token_source.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"

namespace kupen::openstack {
namespace {

constexpr double kRenewAfter = 0.8;
constexpr absl::Duration kFirstPause = absl::Seconds(1);
constexpr absl::Duration kLongestPause = absl::Minutes(1);
constexpr absl::Duration kBetweenRejections = absl::Seconds(10);

}  // namespace

bool TokenSource::Usable() const { return token_ != nullptr && clock_.Now() < expires_at_; }

absl::StatusOr<std::shared_ptr<const Token>> TokenSource::Get(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (Usable() && (fetching_ || clock_.Now() < std::max(renew_at_, ask_again_at_))) return token_;
    if (!fetching_) {
      if (clock_.Now() < ask_again_at_) return error_;
      return Renew(lock, stop);
    }
    if (!fetched_.wait(lock, stop, [this] { return !fetching_; }))
      return absl::CancelledError("stopped while waiting for a token");
  }
}

absl::StatusOr<std::shared_ptr<const Token>> TokenSource::Renew(std::unique_lock<std::mutex>& lock,
                                                                const std::stop_token& stop) {
  fetching_ = true;
  const absl::Time asked = clock_.Now();
  lock.unlock();
  absl::StatusOr<Token> fetched = fetch_(stop);
  lock.lock();
  fetching_ = false;
  fetched_.notify_all();
  if (fetched.ok()) {
    Keep(*std::move(fetched), asked);
    return token_;
  }
  if (!stop.stop_requested()) Remember(fetched.status());
  // The old one may still be good: then the failure to renew it is nobody's problem yet.
  if (Usable()) return token_;
  return fetched.status();
}

void TokenSource::Keep(Token token, absl::Time asked) {
  renew_at_ = asked + token.life * kRenewAfter;
  expires_at_ = asked + token.life;
  token_ = std::make_shared<const Token>(std::move(token));
  ask_again_at_ = absl::InfinitePast();
  pause_ = absl::ZeroDuration();
}

void TokenSource::Remember(const absl::Status& error) {
  pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
  ask_again_at_ = clock_.Now() + pause_;
  error_ = error;
}

bool TokenSource::Reject(const Token& token) {
  const std::lock_guard guard(mutex_);
  if (token_ == nullptr || token_->value != token.value) return true;
  if (clock_.Now() - last_rejection_ < kBetweenRejections) return false;
  last_rejection_ = clock_.Now();
  token_ = nullptr;
  return true;
}

}  // namespace kupen::openstack
