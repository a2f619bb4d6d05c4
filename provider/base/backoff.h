// How long to wait before the next try: longer each time, and never the same for everybody.
//
//   Backoff backoff({.first = absl::Seconds(1), .limit = absl::Minutes(1)});
//   while (!Try()) clock.SleepFor(backoff.Next(), stop);
//   backoff.Reset();
//
// Thread safety: one thread at a time.
#pragma once

#include <algorithm>

#include "absl/random/random.h"
#include "absl/time/time.h"

namespace kupen {

struct BackoffOptions {
  absl::Duration first = absl::Milliseconds(800);
  absl::Duration limit = absl::Seconds(30);
  double factor = 2;
};

class Backoff {
 public:
  explicit Backoff(const BackoffOptions& options = {}) : options_(options), next_(options.first) {}

  // Between a half of and the whole of the current time, which then grows.
  absl::Duration Next() {
    const absl::Duration pause = next_ * absl::Uniform(random_, 0.5, 1.0);
    next_ = std::min(next_ * options_.factor, options_.limit);
    return pause;
  }

  void Reset() { next_ = options_.first; }

 private:
  const BackoffOptions options_;
  absl::Duration next_;
  absl::BitGen random_;
};

}  // namespace kupen
