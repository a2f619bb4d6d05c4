#include "provider/runtime/workers.h"

#include <mutex>
#include <vector>

#include "gtest/gtest.h"
#include "test/fakes/fake_clock.h"

namespace kupen::runtime {
namespace {

const Key the_key = {.kind = "Network", .object_namespace = "tenant-a", .name = "a"};

// Reconciles by a script, one line per call, and lets a test wait for each call.
class Script {
 public:
  explicit Script(std::vector<Outcome> outcomes) : outcomes_(std::move(outcomes)) {}

  Outcome Next(const Key& key) {
    const std::lock_guard guard(mutex_);
    EXPECT_EQ(key, the_key);
    const Outcome outcome = calls_ < outcomes_.size() ? outcomes_[calls_] : Outcome::AwaitChange();
    ++calls_;
    changed_.notify_all();
    return outcome;
  }

  void AwaitCalls(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, count] { return calls_ >= count; });
    EXPECT_EQ(calls_, count);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::vector<Outcome> outcomes_;
  size_t calls_ = 0;
};

class WorkersTest : public testing::Test {
 protected:
  void Start(std::vector<Outcome> outcomes) {
    script_ = std::make_unique<Script>(std::move(outcomes));
    workers_ = std::make_unique<Workers>(queue_, Workers::Options{.threads = 1},
                                         [this](const Key& key) { return script_->Next(key); });
    clock_.AwaitWaiters(1);
    queue_.Add(the_key, Priority::kChange);
    script_->AwaitCalls(1);
    clock_.AwaitWaiters(1);
  }

  test::FakeClock clock_;
  WorkQueue queue_{clock_};
  std::unique_ptr<Script> script_;
  std::unique_ptr<Workers> workers_;
};

TEST_F(WorkersTest, AwaitChangeLeavesItAlone) {
  Start({Outcome::AwaitChange()});
  clock_.Advance(absl::Hours(24));
  clock_.AwaitWaiters(1);
  script_->AwaitCalls(1);
}

TEST_F(WorkersTest, AfterBringsItBackAtThatTime) {
  Start({Outcome::After(absl::Minutes(1))});
  clock_.Advance(absl::Seconds(59));
  clock_.AwaitWaiters(1);
  script_->AwaitCalls(1);
  clock_.Advance(absl::Seconds(1));
  script_->AwaitCalls(2);
}

TEST_F(WorkersTest, RetriesWaitLongerEachTimeUntilOneSucceeds) {
  Start({Outcome::Retry(), Outcome::Retry(), Outcome::After(absl::Minutes(10)), Outcome::Retry()});
  clock_.Advance(absl::Seconds(1));
  script_->AwaitCalls(2);
  clock_.AwaitWaiters(1);
  clock_.Advance(absl::Milliseconds(999));
  clock_.AwaitWaiters(1);
  script_->AwaitCalls(2);  // the second wait is at least 1 s
  clock_.Advance(absl::Milliseconds(1001));
  script_->AwaitCalls(3);
  clock_.AwaitWaiters(1);
  clock_.Advance(absl::Minutes(10));
  script_->AwaitCalls(4);
  clock_.AwaitWaiters(1);
  clock_.Advance(absl::Seconds(1));
  script_->AwaitCalls(5);  // failures before the success don't count any more
}

}  // namespace
}  // namespace kupen::runtime
