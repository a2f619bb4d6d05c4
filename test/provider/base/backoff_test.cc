#include "provider/base/backoff.h"

#include "gtest/gtest.h"

namespace kupen {
namespace {

TEST(Backoff, GrowsUpToItsLimitAndStartsAgain) {
  Backoff backoff({.first = absl::Seconds(1), .limit = absl::Seconds(5)});
  for (const int whole : {1, 2, 4, 5, 5}) {
    const absl::Duration pause = backoff.Next();
    EXPECT_GE(pause, absl::Seconds(whole) / 2);
    EXPECT_LE(pause, absl::Seconds(whole));
  }
  backoff.Reset();
  EXPECT_LE(backoff.Next(), absl::Seconds(1));
}

}  // namespace
}  // namespace kupen
