#include "provider/runtime/backoff.h"

#include <algorithm>
#include <cmath>

namespace kupen::runtime {

absl::Duration Backoff::After(int failures, double chance) const {
  // 2^30 times any first wait is beyond any longest one.
  const int doublings = std::clamp(failures - 1, 0, 30);
  const absl::Duration full = std::min(first * std::exp2(doublings), longest);
  return full * (1 - chance / 4);
}

}  // namespace kupen::runtime
