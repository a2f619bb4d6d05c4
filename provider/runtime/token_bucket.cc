#include "provider/runtime/token_bucket.h"

#include <algorithm>

namespace kupen::runtime {

absl::Duration TokenBucket::Take() {
  const std::lock_guard guard(mutex_);
  const absl::Time now = clock_.Now();
  tokens_ = std::min(burst_, tokens_ + absl::ToDoubleSeconds(now - filled_) * per_second_);
  filled_ = now;
  tokens_ -= 1;
  return tokens_ >= 0 ? absl::ZeroDuration() : absl::Seconds(-tokens_ / per_second_);
}

}  // namespace kupen::runtime
