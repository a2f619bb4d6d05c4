#include "gtest/gtest.h"
#include "provider/runtime/backoff.h"
#include "provider/runtime/token_bucket.h"
#include "test/fakes/fake_clock.h"

namespace kupen::runtime {
namespace {

TEST(Backoff, DoublesUpToTheLongest) {
  const Backoff backoff;
  EXPECT_EQ(backoff.After(1, 0), absl::Seconds(1));
  EXPECT_EQ(backoff.After(2, 0), absl::Seconds(2));
  EXPECT_EQ(backoff.After(6, 0), absl::Seconds(32));
  EXPECT_EQ(backoff.After(7, 0), absl::Seconds(60));
  EXPECT_EQ(backoff.After(1'000'000, 0), absl::Seconds(60));
}

TEST(Backoff, ChanceTakesOffUpToAQuarter) {
  const Backoff backoff;
  EXPECT_EQ(backoff.After(3, 0.5), absl::Seconds(3.5));
  EXPECT_GT(backoff.After(3, 0.999), absl::Seconds(3));
}

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
