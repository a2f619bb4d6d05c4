#include "provider/openstack/token_source.h"

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/fakes/fake_clock.h"

namespace kupen::openstack {
namespace {

using test::FakeClock;

constexpr int kThreads = 32;

// Hands out tokens "1", "2", … that live for an hour, and counts.
class Keystone {
 public:
  TokenSource::Fetch fetch() {
    return [this](const std::stop_token& stop) { return Answer(stop); };
  }

  absl::StatusOr<Token> Answer(const std::stop_token&) {
    const int number = ++asked;
    if (gate.valid()) gate.wait();
    if (!error.ok()) return error;
    Token token;
    token.value = absl::StrCat(number);
    token.life = absl::Hours(1);
    return token;
  }

  std::atomic<int> asked = 0;
  absl::Status error;
  // Answers come only once this is ready.
  std::shared_future<void> gate;
};

std::string ValueOf(TokenSource& tokens) {
  const absl::StatusOr<std::shared_ptr<const Token>> token = tokens.Get({});
  return token.ok() ? (*token)->value : std::string(token.status().message());
}

// All threads at once.
std::vector<std::string> ValuesOf(TokenSource& tokens, const std::function<void()>& once_all_wait) {
  std::vector<std::string> values(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&tokens, &values, i] { values[static_cast<size_t>(i)] = ValueOf(tokens); });
  }
  once_all_wait();
  for (std::thread& thread : threads) thread.join();
  return values;
}

TEST(TokenSource, AsksOnceForAllThreads) {
  FakeClock clock;
  Keystone keystone;
  std::promise<void> open;
  keystone.gate = open.get_future();
  TokenSource tokens(keystone.fetch(), clock);
  EXPECT_THAT(ValuesOf(tokens, [&open] { open.set_value(); }), testing::Each("1"));
  EXPECT_EQ(keystone.asked, 1);
}

TEST(TokenSource, RenewsBeforeExpiry) {
  FakeClock clock;
  Keystone keystone;
  TokenSource tokens(keystone.fetch(), clock);
  EXPECT_EQ(ValueOf(tokens), "1");
  clock.Advance(absl::Minutes(47));
  EXPECT_EQ(ValueOf(tokens), "1") << "before 80 % of its life";
  clock.Advance(absl::Minutes(2));
  EXPECT_EQ(ValueOf(tokens), "2") << "after 80 % of its life";
}

TEST(TokenSource, OthersGoOnWithTheOldTokenDuringRenewal) {
  FakeClock clock;
  Keystone keystone;
  TokenSource tokens(keystone.fetch(), clock);
  EXPECT_EQ(ValueOf(tokens), "1");
  clock.Advance(absl::Minutes(50));
  std::promise<void> open;
  keystone.gate = open.get_future();
  std::thread renewing([&tokens] { EXPECT_EQ(ValueOf(tokens), "2"); });
  while (keystone.asked < 2) std::this_thread::yield();
  EXPECT_EQ(ValueOf(tokens), "1");
  open.set_value();
  renewing.join();
  EXPECT_EQ(ValueOf(tokens), "2");
}

TEST(TokenSource, GoesOnWithTheOldTokenIfRenewalFails) {
  FakeClock clock;
  Keystone keystone;
  TokenSource tokens(keystone.fetch(), clock);
  EXPECT_EQ(ValueOf(tokens), "1");
  keystone.error = absl::UnavailableError("down");
  clock.Advance(absl::Minutes(50));
  EXPECT_EQ(ValueOf(tokens), "1");
  EXPECT_EQ(ValueOf(tokens), "1");
  EXPECT_EQ(keystone.asked, 2) << "not asked again at once";
  clock.Advance(absl::Minutes(10));
  EXPECT_EQ(ValueOf(tokens), "down") << "expired";
  keystone.error = absl::OkStatus();
  clock.Advance(absl::Minutes(1));
  EXPECT_EQ(ValueOf(tokens), "4");
}

TEST(TokenSource, OneNewTokenForAStormOfRejections) {
  FakeClock clock;
  Keystone keystone;
  TokenSource tokens(keystone.fetch(), clock);
  const std::shared_ptr<const Token> revoked = *tokens.Get({});
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&tokens, revoked] {
      EXPECT_TRUE(tokens.Reject(*revoked));
      EXPECT_EQ(ValueOf(tokens), "2");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(keystone.asked, 2);
}

TEST(TokenSource, LateRejectionOfAnOldTokenLeavesTheNewOne) {
  FakeClock clock;
  Keystone keystone;
  TokenSource tokens(keystone.fetch(), clock);
  const std::shared_ptr<const Token> first = *tokens.Get({});
  EXPECT_TRUE(tokens.Reject(*first));
  EXPECT_EQ(ValueOf(tokens), "2");
  clock.Advance(absl::Minutes(1));
  EXPECT_TRUE(tokens.Reject(*first)) << "there is another to try";
  EXPECT_EQ(ValueOf(tokens), "2");
}

TEST(TokenSource, ServiceThatRefusesGoodTokensCausesNoStream) {
  FakeClock clock;
  Keystone keystone;
  TokenSource tokens(keystone.fetch(), clock);
  int renewals = 0;
  for (int second = 0; second < 60; ++second) {
    renewals += tokens.Reject(**tokens.Get({})) ? 1 : 0;
    clock.Advance(absl::Seconds(1));
  }
  EXPECT_EQ(renewals, 6);
}

TEST(TokenSource, SharesAFailure) {
  FakeClock clock;
  Keystone keystone;
  keystone.error = absl::UnauthenticatedError("wrong password");
  TokenSource tokens(keystone.fetch(), clock);
  const std::vector<std::string> values = ValuesOf(tokens, [] {});
  EXPECT_THAT(values, testing::Each("wrong password"));
  EXPECT_EQ(keystone.asked, 1);
}

TEST(TokenSource, PausesLongerAfterEachFailure) {
  FakeClock clock;
  Keystone keystone;
  keystone.error = absl::UnauthenticatedError("wrong password");
  TokenSource tokens(keystone.fetch(), clock);
  for (int second = 0; second < 600; ++second) {
    EXPECT_EQ(ValueOf(tokens), "wrong password");
    clock.Advance(absl::Seconds(1));
  }
  // At 0, 1, 3, 7, 15, 31, 63 s, then every minute.
  EXPECT_EQ(keystone.asked, 15);
}

TEST(TokenSource, StopEndsTheWait) {
  FakeClock clock;
  Keystone keystone;
  std::promise<void> open;
  keystone.gate = open.get_future();
  TokenSource tokens(keystone.fetch(), clock);
  std::thread first([&tokens] { EXPECT_EQ(ValueOf(tokens), "1"); });
  while (keystone.asked < 1) std::this_thread::yield();
  const std::stop_source stop;
  std::thread second([&] { EXPECT_EQ(tokens.Get(stop.get_token()).status().code(), absl::StatusCode::kCancelled); });
  stop.request_stop();
  second.join();
  open.set_value();
  first.join();
}

TEST(TokenSource, StopOfOneCallerIsNoFailureForTheOthers) {
  FakeClock clock;
  Keystone keystone;
  keystone.error = absl::CancelledError("stopped");
  TokenSource tokens(keystone.fetch(), clock);
  const std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(tokens.Get(stop.get_token()).status().code(), absl::StatusCode::kCancelled);
  keystone.error = absl::OkStatus();
  EXPECT_EQ(ValueOf(tokens), "2");
}

}  // namespace
}  // namespace kupen::openstack
