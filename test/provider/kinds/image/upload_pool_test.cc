#include "provider/kinds/image/upload_pool.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/fakes/fake_clock.h"

namespace kupen::kinds {
namespace {

class UploadPoolTest : public testing::Test {
 protected:
  // An upload that ends when the test says so.
  struct Held {
    std::mutex mutex;
    std::condition_variable_any changed;
    bool go = false;
    absl::Status result = absl::OkStatus();

    absl::Status Wait(const std::stop_token& stop) {
      std::unique_lock lock(mutex);
      if (!changed.wait(lock, stop, [this] { return go; })) return absl::CancelledError("stopped");
      return result;
    }
    void Release() {
      const std::lock_guard guard(mutex);
      go = true;
      changed.notify_all();
    }
  };

  absl::Status Advance(const std::string& uid, const std::string& what, UploadPool::Upload upload) {
    return pool_.Advance(
        uid, what,
        [this, upload = std::move(upload)](const std::stop_token& stop) {
          ++starts_;
          return upload(stop);
        },
        [this] {
          const std::lock_guard guard(mutex_);
          ++wakes_;
          changed_.notify_all();
        });
  }

  void AwaitWakes(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, count] { return wakes_ >= count; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int wakes_ = 0;
  std::atomic<int> starts_ = 0;
  test::FakeClock clock_;
  UploadPool pool_{clock_, 2};
};

absl::Status Succeed(const std::stop_token&) { return absl::OkStatus(); }
absl::Status Break(const std::stop_token&) { return absl::UnavailableError("broken"); }

TEST_F(UploadPoolTest, StartsOnceAndWakes) {
  Held held;
  const auto upload = [&held](const std::stop_token& stop) { return held.Wait(stop); };
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Advance("u", "x", upload).ok());
  held.Release();
  AwaitWakes(1);
  EXPECT_TRUE(Advance("u", "x", upload).ok()) << "done: whoever asks has not seen it yet";
  EXPECT_EQ(starts_, 1);
}

TEST_F(UploadPoolTest, AFailureIsToldUntilItIsTriedAgain) {
  EXPECT_TRUE(Advance("u", "x", Break).ok());
  AwaitWakes(1);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Advance("u", "x", Break).message(), "broken");
  EXPECT_EQ(starts_, 1);
  clock_.Advance(absl::Seconds(10));
  EXPECT_TRUE(Advance("u", "x", Break).ok());
  AwaitWakes(2);
  clock_.Advance(absl::Seconds(9));
  EXPECT_EQ(Advance("u", "x", Break).message(), "broken") << "later each time";
  clock_.Advance(absl::Seconds(11));
  EXPECT_TRUE(Advance("u", "x", Succeed).ok());
  AwaitWakes(3);
  EXPECT_EQ(starts_, 3);
}

TEST_F(UploadPoolTest, AnotherSourceIsTriedAtOnce) {
  EXPECT_TRUE(Advance("u", "x", Break).ok());
  AwaitWakes(1);
  EXPECT_TRUE(Advance("u", "y", Succeed).ok());
  AwaitWakes(2);
  EXPECT_TRUE(Advance("u", "y", Succeed).ok());
  EXPECT_EQ(starts_, 2);
}

TEST_F(UploadPoolTest, AnotherSourceWaitsForTheEndOfTheFirst) {
  Held held;
  EXPECT_TRUE(Advance("u", "x", [&held](const std::stop_token& stop) { return held.Wait(stop); }).ok());
  EXPECT_TRUE(Advance("u", "y", Succeed).ok());
  held.Release();
  AwaitWakes(1);
  EXPECT_TRUE(Advance("u", "y", Succeed).ok());
  AwaitWakes(2);
  EXPECT_EQ(starts_, 2);
}

TEST_F(UploadPoolTest, MoreThanThereAreThreadsWait) {
  Held held;
  const auto upload = [&held](const std::stop_token& stop) { return held.Wait(stop); };
  for (const char* uid : {"a", "b", "c"}) EXPECT_TRUE(Advance(uid, "x", upload).ok());
  held.Release();
  AwaitWakes(3);
  EXPECT_EQ(starts_, 3);
}

TEST_F(UploadPoolTest, WhatIsDoneIsForgottenAfterAWhile) {
  EXPECT_TRUE(Advance("u", "x", Succeed).ok());
  AwaitWakes(1);
  clock_.Advance(absl::Minutes(2));
  EXPECT_TRUE(Advance("u", "x", Succeed).ok());
  AwaitWakes(2);
  EXPECT_EQ(starts_, 2);
}

TEST(UploadPool, ItsEndStopsWhatIsUnderWay) {
  test::FakeClock clock;
  std::mutex mutex;
  std::condition_variable_any changed;
  bool running = false;
  bool stopped = false;
  bool woken = false;
  const auto upload = [&](const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    running = true;
    changed.notify_all();
    changed.wait(lock, stop, [] { return false; });
    stopped = stop.stop_requested();
    return absl::CancelledError("stopped");
  };
  {
    UploadPool pool(clock, 1);
    EXPECT_TRUE(pool.Advance("u", "x", upload, [&woken] { woken = true; }).ok());
    std::unique_lock lock(mutex);
    changed.wait(lock, [&running] { return running; });
  }
  EXPECT_TRUE(stopped);
  EXPECT_FALSE(woken);
}

}  // namespace
}  // namespace kupen::kinds
