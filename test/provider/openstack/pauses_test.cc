#include "provider/openstack/pauses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stop_token>
#include <string>

#include "provider/http/transport.h"
#include "provider/openstack/error.h"
#include "provider/openstack/session.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::openstack {
namespace {

using test::FakeClock;
using test::FakeCloud;
using testing::SizeIs;

absl::Status Busy(const std::string& seconds) {
  return ErrorFromResponse("compute", {.status = 429, .headers = {{"Retry-After", seconds}}, .body = ""});
}

TEST(Pauses, LastAsLongAsTheServiceAsks) {
  FakeClock clock;
  Pauses pauses(clock);
  EXPECT_TRUE(pauses.Check("compute").ok());
  pauses.Note("compute", Busy("10"));
  clock.Advance(absl::Seconds(4));
  const absl::Status paused = pauses.Check("compute");
  EXPECT_EQ(DispositionOf(paused), Disposition::kRetryAfter);
  EXPECT_EQ(RetryAfterOf(paused), absl::Seconds(6));
  EXPECT_EQ(paused.message(), "nova: 429 Too Many Requests");
  EXPECT_TRUE(http::NeverSent(paused)) << "a create that was not sent has had no effect";
  EXPECT_TRUE(pauses.Check("network").ok());
  clock.Advance(absl::Seconds(6));
  EXPECT_TRUE(pauses.Check("compute").ok());
}

TEST(Pauses, TheLongerOneCounts) {
  FakeClock clock;
  Pauses pauses(clock);
  pauses.Note("compute", Busy("10"));
  pauses.Note("compute", Busy("3"));
  EXPECT_EQ(RetryAfterOf(pauses.Check("compute")), absl::Seconds(10));
}

TEST(Pauses, OtherErrorsAreNone) {
  FakeClock clock;
  Pauses pauses(clock);
  pauses.Note("compute", ErrorFromResponse("compute", {.status = 500}));
  pauses.Note("compute", absl::UnavailableError("connection refused"));
  EXPECT_TRUE(pauses.Check("compute").ok());
}

TEST(Pauses, NobodyWaitsForHours) {
  FakeClock clock;
  Pauses pauses(clock);
  pauses.Note("compute", Busy("86400"));
  EXPECT_EQ(RetryAfterOf(pauses.Check("compute")), absl::Minutes(5));
}

TEST(Pauses, OneRefusalSparesTheServiceAllOtherRequests) {
  FakeClock clock;
  FakeCloud slow;
  FakeCloud other;
  slow.Serve(
      [](const http::Request&) { return http::Response{.status = 503, .headers = {{"Retry-After", "20"}}, .body = ""}; });
  other.Serve([](const http::Request&) { return http::Response{.status = 200, .headers = {}, .body = "{}"}; });
  Session to_slow(slow.config(), slow.transports(), clock);
  Session to_other(other.config(), other.transports(), clock);
  const std::stop_source stop;
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(to_slow.Send({.service = "network", .path = "/networks"}, stop.get_token()).ok());
    EXPECT_TRUE(to_other.Send({.service = "network", .path = "/networks"}, stop.get_token()).ok());
  }
  EXPECT_THAT(slow.requests(), SizeIs(1));
  EXPECT_THAT(other.requests(), SizeIs(5));
  EXPECT_FALSE(to_slow.Send({.service = "image", .path = "/images"}, stop.get_token()).ok());
  EXPECT_THAT(slow.requests(), SizeIs(2)) << "another service has not asked for anything";
  clock.Advance(absl::Seconds(20));
  EXPECT_FALSE(to_slow.Send({.service = "network", .path = "/networks"}, stop.get_token()).ok());
  EXPECT_THAT(slow.requests(), SizeIs(3));
}

}  // namespace
}  // namespace kupen::openstack
