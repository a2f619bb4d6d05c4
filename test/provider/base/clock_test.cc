#include "provider/base/clock.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "gtest/gtest.h"
#include "test/fakes/fake_clock.h"

namespace kupen {
namespace {

TEST(SystemClock, SleepEndsAtTheDeadline) {
  const absl::Time deadline = SystemClock().Now() + absl::Milliseconds(20);
  EXPECT_TRUE(SystemClock().SleepUntil(deadline, {}));
  EXPECT_GE(SystemClock().Now(), deadline);
}

TEST(SystemClock, StopEndsASleepWithoutEnd) {
  bool slept_through = true;
  {
    const std::jthread sleeper([&slept_through](const std::stop_token& stop) {
      slept_through = SystemClock().SleepUntil(absl::InfiniteFuture(), stop);
    });
  }  // asks for a stop, and joins
  EXPECT_FALSE(slept_through);
}

TEST(SystemClock, NotificationEndsAWait) {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool ready = false;
  const std::jthread notifier([&] {
    const std::lock_guard guard(mutex);
    ready = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  while (!ready) SystemClock().Wait(lock, changed, absl::InfiniteFuture(), {});
  EXPECT_TRUE(ready);
}

TEST(FakeClock, SleeperWakesWhenItsTimeHasCome) {
  test::FakeClock clock;
  bool slept_through = false;
  {
    const std::jthread sleeper([&] { slept_through = clock.SleepFor(absl::Hours(2), {}); });
    clock.AwaitWaiters(1);
    clock.Advance(absl::Hours(1));
    clock.AwaitWaiters(1);
    clock.Advance(absl::Hours(1));
  }
  EXPECT_TRUE(slept_through);
}

TEST(FakeClock, PastDeadlineDoesNotWait) {
  test::FakeClock clock;
  EXPECT_TRUE(clock.SleepUntil(clock.Now(), {}));
}

}  // namespace
}  // namespace kupen
