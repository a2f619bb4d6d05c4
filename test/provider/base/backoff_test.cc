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

TEST(BackoffOptions, ManyFailuresWaitNoLongerThanTheLimit) {
  const BackoffOptions options = {.first = absl::Seconds(1), .limit = absl::Seconds(60)};
  EXPECT_EQ(options.After(1, 0), absl::Seconds(1));
  EXPECT_EQ(options.After(6, 0), absl::Seconds(32));
  EXPECT_EQ(options.After(1'000'000, 0), absl::Seconds(60));
  EXPECT_EQ(options.After(3, 0.5), absl::Seconds(3));
}

}  // namespace
}  // namespace kupen
