// How long to wait before the next try: longer each time, and never the same for everybody.
//
//   Backoff backoff({.first = absl::Seconds(1), .limit = absl::Minutes(1)});
//   while (!Try()) clock.SleepFor(backoff.Next(), stop);
//   backoff.Reset();
//
// Thread safety: one thread at a time.
#pragma once

#include "absl/random/random.h"
#include "absl/time/time.h"

namespace kupen {

struct BackoffOptions {
  absl::Duration first = absl::Milliseconds(800);
  absl::Duration limit = absl::Seconds(30);

  // The wait after that many failures in a row (from 1): doubles each time up to the limit, then loses up to a half by chance
  // (from [0, 1)). What failed together must not come back together.
  absl::Duration After(int failures, double chance) const;
};

class Backoff {
 public:
  explicit Backoff(const BackoffOptions& options = {}) : options_(options) {}

  absl::Duration Next() { return options_.After(++failures_, absl::Uniform(random_, 0.0, 1.0)); }
  void Reset() { failures_ = 0; }

 private:
  const BackoffOptions options_;
  int failures_ = 0;
  absl::BitGen random_;
};

}  // namespace kupen
