#include "provider/runtime/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "provider/runtime/workers.h"
#include "test/fakes/fake_clock.h"

namespace kupen::runtime {
namespace {

Key Named(const std::string& name) { return {.kind = "Network", .object_namespace = "team", .name = name}; }

// As many permits as a party gets.
std::vector<Shares::Permit> TakeAll(Shares& shares, const std::string& party) {
  std::vector<Shares::Permit> permits;
  while (Shares::Permit permit = shares.Enter(party, Named(absl::StrCat(party, permits.size())))) {
    permits.push_back(std::move(permit));
  }
  return permits;
}

TEST(Shares, HalfOfWhatNobodyElseHas) {
  test::FakeClock clock;
  WorkQueue queue(clock);
  Shares shares(32, queue);
  const std::vector<Shares::Permit> first = TakeAll(shares, "a");
  EXPECT_EQ(first.size(), 16U);
  const std::vector<Shares::Permit> second = TakeAll(shares, "b");
  EXPECT_EQ(second.size(), 8U);
  EXPECT_EQ(TakeAll(shares, "c").size(), 4U);
}

TEST(Shares, EverybodyHasAtLeastOne) {
  test::FakeClock clock;
  WorkQueue queue(clock);
  Shares shares(1, queue);
  const Shares::Permit first = shares.Enter("a", Named("a1"));
  EXPECT_TRUE(first);
  EXPECT_TRUE(shares.Enter("b", Named("b1")));
  EXPECT_FALSE(shares.Enter("a", Named("a2")));
}

TEST(Shares, WhoWaitsComesBackWhenThereIsRoom) {
  test::FakeClock clock;
  WorkQueue queue(clock);
  Shares shares(2, queue);
  {
    const Shares::Permit first = shares.Enter("a", Named("a1"));
    EXPECT_FALSE(shares.Enter("a", Named("a2")));
    EXPECT_EQ(queue.Ready(), 0U);
  }
  EXPECT_EQ(queue.Take({})->name, "a2");
  EXPECT_TRUE(shares.Enter("a", Named("a2")));
}

TEST(Shares, NoMoreAreWokenThanFindRoom) {
  test::FakeClock clock;
  WorkQueue queue(clock);
  Shares shares(8, queue);
  std::vector<Shares::Permit> permits = TakeAll(shares, "a");
  ASSERT_EQ(permits.size(), 4U);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(shares.Enter("a", Named(absl::StrCat("waits", i))));
  permits.pop_back();
  EXPECT_EQ(queue.Ready(), 1U);
  // The one that was woken has gone, as a deleted object does: there is room for two now.
  permits.pop_back();
  EXPECT_EQ(queue.Ready(), 3U);
}

TEST(Shares, WhoComesAgainWhileItWaitsIsWokenOnce) {
  test::FakeClock clock;
  WorkQueue queue(clock);
  Shares shares(2, queue);
  {
    const Shares::Permit first = shares.Enter("a", Named("a1"));
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(shares.Enter("a", Named("a2")));
  }
  EXPECT_EQ(queue.Take({})->name, "a2");
  queue.Done(Named("a2"));
  const Shares::Permit permit = shares.Enter("a", Named("a1"));
  EXPECT_FALSE(shares.Enter("a", Named("a2"))) << "it may wait anew";
  EXPECT_EQ(queue.Ready(), 0U);
}

// A hundred objects of a cloud that does not answer, and then one of a cloud that does.
TEST(Shares, ACloudThatDoesNotAnswerLeavesWorkersToOthers) {
  WorkQueue queue(SystemClock());
  Shares shares(4, queue);
  std::mutex mutex;
  std::condition_variable changed;
  bool answers = false;
  int done = 0;
  bool other_done = false;
  const Workers workers(queue, {.threads = 4}, [&](const Key& key) {
    const bool slow = key.name != "quick";
    const Shares::Permit permit = shares.Enter(slow ? "slow" : "quick", key);
    if (!permit) return Outcome::AwaitChange();
    std::unique_lock lock(mutex);
    if (slow) {
      changed.wait(lock, [&] { return answers; });
      ++done;
    } else {
      other_done = true;
    }
    changed.notify_all();
    return Outcome::AwaitChange();
  });
  for (int i = 0; i < 100; ++i) queue.Add(Named(absl::StrCat(i)), Priority::kChange);
  queue.Add(Named("quick"), Priority::kRequeue);
  std::unique_lock lock(mutex);
  EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(10), [&] { return other_done; }));
  answers = true;
  changed.notify_all();
  EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(10), [&] { return done == 100; })) << "and nobody is forgotten";
}

}  // namespace
}  // namespace kupen::runtime
