#include "provider/runtime/work_queue.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "test/fakes/fake_clock.h"

namespace kupen::runtime {
namespace {

Key Named(const std::string& name) { return {.kind = "Network", .object_namespace = "tenant-a", .name = name}; }

class WorkQueueTest : public testing::Test {
 protected:
  // The key that is handed out now, or nothing: a stopped queue hands out nothing, so this asks only if there is one.
  std::optional<Key> TakeNow() { return queue_.Ready() == 0 ? std::nullopt : queue_.Take({}); }

  std::string TakeName() {
    const std::optional<Key> key = TakeNow();
    return key.has_value() ? key->name : "nothing";
  }

  test::FakeClock clock_;
  WorkQueue queue_{clock_};
};

TEST_F(WorkQueueTest, KeyAddedTwiceComesOnce) {
  queue_.Add(Named("a"), Priority::kChange);
  queue_.Add(Named("a"), Priority::kChange);
  EXPECT_EQ(TakeName(), "a");
  queue_.Done(Named("a"));
  EXPECT_EQ(TakeName(), "nothing");
}

TEST_F(WorkQueueTest, KeysOfOnePriorityComeInTheirOrder) {
  for (const char* name : {"b", "a", "c"}) queue_.Add(Named(name), Priority::kChange);
  EXPECT_EQ(TakeName(), "b");
  EXPECT_EQ(TakeName(), "a");
  EXPECT_EQ(TakeName(), "c");
}

TEST_F(WorkQueueTest, ChangesOvertakeRequeuesAndTheInitialFlood) {
  queue_.Add(Named("initial"), Priority::kInitial);
  queue_.Add(Named("requeue"), Priority::kRequeue);
  queue_.Add(Named("change"), Priority::kChange);
  EXPECT_EQ(TakeName(), "change");
  EXPECT_EQ(TakeName(), "requeue");
  EXPECT_EQ(TakeName(), "initial");
}

TEST_F(WorkQueueTest, AddedAgainMoreUrgentlyItMovesForward) {
  queue_.Add(Named("a"), Priority::kInitial);
  queue_.Add(Named("b"), Priority::kRequeue);
  queue_.Add(Named("a"), Priority::kChange);
  EXPECT_EQ(TakeName(), "a");
}

TEST_F(WorkQueueTest, HeldKeyComesBackOnlyAfterDone) {
  queue_.Add(Named("a"), Priority::kChange);
  ASSERT_EQ(TakeName(), "a");
  EXPECT_EQ(queue_.Held(), 1u);
  queue_.Add(Named("a"), Priority::kChange);
  EXPECT_EQ(TakeName(), "nothing") << "another worker has it";
  queue_.Done(Named("a"));
  EXPECT_EQ(queue_.Held(), 0u);
  EXPECT_EQ(TakeName(), "a") << "it changed while it was held";
}

TEST_F(WorkQueueTest, DelayedKeyComesAtItsTime) {
  queue_.AddAfter(Named("a"), Priority::kRequeue, absl::Seconds(30));
  clock_.Advance(absl::Seconds(29));
  EXPECT_EQ(TakeName(), "nothing");
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(TakeName(), "a");
}

TEST_F(WorkQueueTest, EarlierOfTwoTimesWins) {
  queue_.AddAfter(Named("a"), Priority::kRequeue, absl::Seconds(30));
  queue_.AddAfter(Named("a"), Priority::kRequeue, absl::Seconds(10));
  queue_.AddAfter(Named("a"), Priority::kRequeue, absl::Seconds(60));
  clock_.Advance(absl::Seconds(10));
  EXPECT_EQ(TakeName(), "a");
  queue_.Done(Named("a"));
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(TakeName(), "nothing") << "the later times are gone with the earlier one";
}

TEST_F(WorkQueueTest, ChangeDoesNotWaitForADelay) {
  queue_.AddAfter(Named("a"), Priority::kRequeue, absl::Seconds(30));
  queue_.Add(Named("a"), Priority::kChange);
  EXPECT_EQ(TakeName(), "a");
}

TEST_F(WorkQueueTest, WaitingWorkerIsWokenByTimeByAddAndByStop) {
  std::atomic<int> taken = 0;
  {
    const std::jthread worker([this, &taken](const std::stop_token& stop) {
      while (const std::optional<Key> key = queue_.Take(stop)) {
        ++taken;
        queue_.Done(*key);
        taken.notify_all();
      }
    });
    clock_.AwaitWaiters(1);
    queue_.Add(Named("a"), Priority::kChange);
    taken.wait(0);
    queue_.AddAfter(Named("b"), Priority::kRequeue, absl::Minutes(5));
    clock_.AwaitWaiters(1);
    clock_.Advance(absl::Minutes(5));
    taken.wait(1);
  }
  EXPECT_EQ(taken, 2);
}

TEST_F(WorkQueueTest, ManyWorkersNeverHoldOneKeyTogether) {
  constexpr int kKeys = 20;
  constexpr int kTurns = 200;
  std::vector<std::atomic<int>> holders(kKeys);
  std::atomic<int> turns = 0;
  std::atomic<bool> together = false;
  {
    std::vector<std::jthread> workers;
    workers.reserve(8);
    for (int i = 0; i < 8; ++i) {
      workers.emplace_back([&](const std::stop_token& stop) {
        while (const std::optional<Key> key = queue_.Take(stop)) {
          const size_t index = std::stoul(key->name);
          if (holders[index].fetch_add(1) != 0) together = true;
          if (++turns <= kKeys * kTurns) queue_.Add(*key, Priority::kChange);
          holders[index].fetch_sub(1);
          queue_.Done(*key);
          turns.notify_all();
        }
      });
    }
    for (int i = 0; i < kKeys; ++i) queue_.Add(Named(std::to_string(i)), Priority::kInitial);
    for (int seen = turns; seen < kKeys * kTurns; seen = turns) turns.wait(seen);
  }
  EXPECT_FALSE(together);
}

TEST_F(WorkQueueTest, KnowsHowLongAKeyHasBeenHeld) {
  EXPECT_EQ(queue_.LongestHeld(), absl::ZeroDuration());
  queue_.Add(Named("a"), Priority::kChange);
  queue_.Add(Named("b"), Priority::kChange);
  EXPECT_EQ(TakeName(), "a");
  clock_.Advance(absl::Seconds(5));
  EXPECT_EQ(TakeName(), "b");
  clock_.Advance(absl::Seconds(5));
  EXPECT_EQ(queue_.LongestHeld(), absl::Seconds(10));
  queue_.Done(Named("a"));
  EXPECT_EQ(queue_.LongestHeld(), absl::Seconds(5));
}

TEST_F(WorkQueueTest, CountsWhatIsAddedOnceForEachWait) {
  for (int i = 0; i < 3; ++i) queue_.Add(Named("a"), Priority::kChange);
  EXPECT_EQ(TakeName(), "a");
  queue_.Add(Named("a"), Priority::kChange);
  EXPECT_EQ(queue_.Adds(), 2u);
}

}  // namespace
}  // namespace kupen::runtime
