// At most so many per second on average, with a burst on top.
#pragma once

#include <mutex>

#include "absl/time/time.h"
#include "provider/base/clock.h"

namespace kupen::runtime {

// Thread safety: all methods may be called from any thread.
class TokenBucket {
 public:
  TokenBucket(Clock& clock, double per_second, double burst)
      : clock_(clock), per_second_(per_second), burst_(burst), tokens_(burst), filled_(clock.Now()) {}

  // Takes a token, and says how long to wait before using it. Those who come later wait longer.
  absl::Duration Take();

 private:
  Clock& clock_;
  const double per_second_;
  const double burst_;
  std::mutex mutex_;
  double tokens_;
  absl::Time filled_;
};

}  // namespace kupen::runtime
