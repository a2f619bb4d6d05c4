#include "provider/cmd/watches.h"

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/transport.h"
#include "provider/kube/client.h"
#include "provider/kube/store.h"
#include "provider/kube/watcher.h"
#include "provider/runtime/health.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/fake_transport.h"

namespace kupen::cmd {
namespace {

constexpr char kForbidden[] = R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403})";

class WatchesTest : public testing::Test {
 protected:
  void Start() {
    watches_.Start("Secret", {.resource = {.version = "v1", .plural = "secrets"}, .streaming_list = false},
                   [this](const kube::WatchEvent& event) { store_.Take(event); });
  }
  // Fails as often as it is tried, until that time has passed.
  void FailFor(absl::Duration duration, int status) {
    for (const absl::Time end = clock_.Now() + duration; clock_.Now() < end; clock_.Advance(absl::Minutes(1))) {
      transport_.Reply(status, kForbidden);
      transport_.AwaitRequests(++requests_);
      clock_.AwaitWaiters(1);
    }
  }

  test::FakeClock clock_;
  test::FakeTransport transport_;
  size_t requests_ = 0;
  const kube::Client client_{transport_, "test"};
  kube::Store store_;
  runtime::Health health_;
  Watches watches_{client_, clock_, health_};
};

TEST_F(WatchesTest, FillsWhatItIsFor) {
  transport_.Reply(200, R"({"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"a","namespace":"n"}}]})");
  Start();
  EXPECT_TRUE(store_.AwaitSynced({}));
  EXPECT_NE(store_.Get({"n", "a"}), nullptr);
}

TEST_F(WatchesTest, IsDeadWhenTheApiServerIsForTooLong) {
  Start();
  FailFor(absl::Minutes(10), 503);
  EXPECT_EQ(health_.Live().status, 200);
  FailFor(absl::Minutes(5), 503);
  EXPECT_EQ(health_.Live().status, 500);
  EXPECT_THAT(health_.Live().body, testing::HasSubstr("watches: Secret: no progress for 15m"));
}

TEST_F(WatchesTest, RefusalIsNoReasonForARestart) {
  Start();
  FailFor(absl::Minutes(20), 403);
  EXPECT_EQ(health_.Live().status, 200);
}

}  // namespace
}  // namespace kupen::cmd
