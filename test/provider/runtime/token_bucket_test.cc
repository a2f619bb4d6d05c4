#include "provider/runtime/token_bucket.h"

#include "gtest/gtest.h"
#include "test/fakes/fake_clock.h"

namespace kupen::runtime {
namespace {

TEST(TokenBucket, BurstIsFreeThenTheyQueueUp) {
  test::FakeClock clock;
  TokenBucket bucket(clock, /*per_second=*/10, /*burst=*/2);
  EXPECT_EQ(bucket.Take(), absl::ZeroDuration());
  EXPECT_EQ(bucket.Take(), absl::ZeroDuration());
  EXPECT_EQ(bucket.Take(), absl::Milliseconds(100));
  EXPECT_EQ(bucket.Take(), absl::Milliseconds(200));
}

TEST(TokenBucket, FillsWithTimeUpToTheBurst) {
  test::FakeClock clock;
  TokenBucket bucket(clock, /*per_second=*/10, /*burst=*/2);
  for (int i = 0; i < 4; ++i) bucket.Take();
  clock.Advance(absl::Hours(1));
  EXPECT_EQ(bucket.Take(), absl::ZeroDuration());
  EXPECT_EQ(bucket.Take(), absl::ZeroDuration());
  EXPECT_EQ(bucket.Take(), absl::Milliseconds(100));
}

}  // namespace
}  // namespace kupen::runtime
