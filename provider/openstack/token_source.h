// One token for all threads that work with the same credentials and scope.
//
//   TokenSource tokens([&](const std::stop_token& stop) { return AskKeystone(stop); }, clock);
//   ASSIGN_OR_RETURN(std::shared_ptr<const Token> token, tokens.Get(stop));
//   … a service answers 401 …
//   tokens.Reject(*token);                                     // the next Get() asks Keystone, once for all threads
//
// However many threads ask, at most one question to Keystone is under way.
// - A token is renewed by the first caller after 80 % of its life; meanwhile the others go on with the old one.
// - Without a token they wait for that one answer, and share it if it is an error.
// - After an error Keystone is left alone for a while (1 s, doubled each time up to 1 min): an account may be locked after a
// few
//   wrong passwords.
// - A token that was rejected less than 10 s after the last rejection stays: if a service refuses good tokens, new ones don't
// help. Thread safety: all methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "provider/base/clock.h"
#include "provider/openstack/token.h"

namespace kupen::openstack {

class TokenSource {
 public:
  using Fetch = std::function<absl::StatusOr<Token>(const std::stop_token& stop)>;

  // The clock must outlive this.
  TokenSource(Fetch fetch, Clock& clock) : fetch_(std::move(fetch)), clock_(clock) {}

  absl::StatusOr<std::shared_ptr<const Token>> Get(const std::stop_token& stop);

  // A service did not take this token. True if the next Get() may give another.
  bool Reject(const Token& token);

 private:
  bool Usable() const;
  absl::StatusOr<std::shared_ptr<const Token>> Renew(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void Keep(Token token, absl::Time asked);
  void Remember(const absl::Status& error);

  const Fetch fetch_;
  Clock& clock_;

  std::mutex mutex_;
  std::condition_variable_any fetched_;
  bool fetching_ = false;
  std::shared_ptr<const Token> token_;
  absl::Time renew_at_;
  absl::Time expires_at_;
  absl::Status error_;
  // No question to Keystone before this, after an error.
  absl::Time ask_again_at_ = absl::InfinitePast();
  absl::Duration pause_;
  absl::Time last_rejection_ = absl::InfinitePast();
};

}  // namespace kupen::openstack
