#include "provider/cmd/telemetry.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/client.h"
#include "provider/http/server.h"
#include "provider/http/transport.h"
#include "provider/runtime/health.h"

namespace kupen::cmd {
namespace {

TEST(ListenAddress, HasAPortAndPerhapsAHost) {
  EXPECT_EQ(ParseListenAddress(":8080")->host, "");
  EXPECT_EQ(ParseListenAddress(":8080")->port, 8080);
  EXPECT_EQ(ParseListenAddress("127.0.0.1:9090")->host, "127.0.0.1");
  EXPECT_EQ(ParseListenAddress("[::1]:9090")->host, "::1");
  for (const char* bad : {"", "8080", "localhost", "localhost:", ":http", ":70000", ":-1"}) {
    EXPECT_THAT(std::string(ParseListenAddress(bad).status().message()),
                testing::HasSubstr(absl::StrCat("--metrics-address=\"", bad, "\": has to be")));
  }
}

http::Response Get(int port, const std::string& path) {
  const absl::StatusOr<std::unique_ptr<http::Client>> client =
      http::Client::Create({.base_url = absl::StrCat("http://127.0.0.1:", port)});
  const absl::StatusOr<http::Response> response = (*client)->Send({.target = path}, {});
  return response.ok() ? *response : http::Response{.body = response.status().ToString()};
}

TEST(Telemetry, ServesMetricsAndHealth) {
  runtime::Health health;
  bool ready = false;
  health.AddReadiness("caches", [&] { return ready ? absl::OkStatus() : absl::UnavailableError("not yet"); });
  const absl::StatusOr<std::unique_ptr<http::Server>> server = ServeTelemetry(":0", health, [] { return "answer 42\n"; });
  ASSERT_TRUE(server.ok()) << server.status();
  const int port = (*server)->port();
  EXPECT_EQ(Get(port, "/metrics").body, "answer 42\n");
  EXPECT_EQ(http::Find(Get(port, "/metrics").headers, "Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(Get(port, "/healthz").status, 200);
  EXPECT_EQ(Get(port, "/readyz").status, 500);
  ready = true;
  EXPECT_EQ(Get(port, "/readyz").status, 200);
  EXPECT_EQ(Get(port, "/debug").status, 404);
}

TEST(Telemetry, CanBeTurnedOff) {
  const runtime::Health health;
  EXPECT_EQ(*ServeTelemetry("0", health, [] { return ""; }), nullptr);
}

TEST(Telemetry, PortThatIsTakenIsNamed) {
  const runtime::Health health;
  const auto first = ServeTelemetry("127.0.0.1:0", health, [] { return ""; });
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string address = absl::StrCat("127.0.0.1:", (*first)->port());
  EXPECT_THAT(std::string(ServeTelemetry(address, health, [] { return ""; }).status().message()),
              testing::HasSubstr(absl::StrCat("--metrics-address=\"", address, "\"")));
}

}  // namespace
}  // namespace kupen::cmd
