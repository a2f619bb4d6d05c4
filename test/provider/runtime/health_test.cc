#include "provider/runtime/health.h"

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "provider/http/transport.h"
#include "test/fakes/fake_clock.h"

namespace kupen::runtime {
namespace {

TEST(Health, IsWellWithoutChecks) {
  EXPECT_EQ(Health().Live().status, 200);
  EXPECT_EQ(Health().Ready().status, 200);
}

TEST(Health, NamesEachCheckThatFails) {
  Health health;
  health.AddReadiness("crds", [] { return absl::UnavailableError("not listed yet"); });
  health.AddReadiness("lease", [] { return absl::OkStatus(); });
  health.AddReadiness("network.Network", [] { return absl::UnavailableError("not synced"); });
  const http::Response ready = health.Ready();
  EXPECT_EQ(ready.status, 500);
  EXPECT_EQ(ready.body, "crds: not listed yet\nnetwork.Network: not synced\n");
  EXPECT_EQ(health.Live().status, 200) << "not to be ready is no reason to be restarted";
}

TEST(Heartbeat, FailsOnceItIsSilentForTooLong) {
  test::FakeClock clock;
  Heartbeat heartbeat(clock);
  clock.Advance(absl::Minutes(10));
  EXPECT_TRUE(heartbeat.Check(absl::Minutes(10)).ok());
  clock.Advance(absl::Seconds(1));
  EXPECT_EQ(heartbeat.Check(absl::Minutes(10)).message(), "no progress for 10m1s");
  heartbeat.Beat();
  EXPECT_TRUE(heartbeat.Check(absl::Minutes(10)).ok());
}

}  // namespace
}  // namespace kupen::runtime
