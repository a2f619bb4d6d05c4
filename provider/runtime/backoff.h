// How long to wait after the nth failure in a row.
#pragma once

#include "absl/time/time.h"

namespace kupen::runtime {

struct Backoff {
  absl::Duration first = absl::Seconds(1);
  absl::Duration longest = absl::Seconds(60);

  // Doubles with each failure (counted from 1) up to the longest, then takes off up to a quarter by chance (from [0, 1)): what
  // failed together must not come back together.
  absl::Duration After(int failures, double chance) const;
};

}  // namespace kupen::runtime
