#include "provider/base/backoff.h"

#include <algorithm>
#include <cmath>

namespace kupen {

absl::Duration BackoffOptions::After(int failures, double chance) const {
  // 2^30 times any first wait is beyond any limit.
  const int doublings = std::clamp(failures - 1, 0, 30);
  return std::min(first * std::exp2(doublings), limit) * (1 - chance / 2);
}

}  // namespace kupen
