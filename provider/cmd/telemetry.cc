#include "provider/cmd/telemetry.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "provider/base/status.h"
#include "provider/runtime/metrics.h"

namespace kupen::cmd {
namespace {

constexpr int kMaxPort = 65535;

}  // namespace

absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text) {
  const size_t colon = text.rfind(':');
  ListenAddress address;
  if (colon == absl::string_view::npos || !absl::SimpleAtoi(text.substr(colon + 1), &address.port) || address.port < 0 ||
      address.port > kMaxPort) {
    return absl::InvalidArgumentError(absl::StrCat("--metrics-address=\"", text, "\": has to be :8080 or 127.0.0.1:8080"));
  }
  absl::string_view host = text.substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  address.host = std::string(host);
  return address;
}

absl::StatusOr<std::unique_ptr<http::Server>> ServeTelemetry(absl::string_view address, const runtime::Health& health,
                                                             std::function<std::string()> metrics) {
  if (address == "0") return nullptr;
  ASSIGN_OR_RETURN(const ListenAddress listen, ParseListenAddress(address));
  http::ServerOptions options;
  options.port = listen.port;
  options.threads = 2;
  options.routes = {
      {"/healthz", [&health](const http::Request&) { return health.Live(); }},
      {"/readyz", [&health](const http::Request&) { return health.Ready(); }},
      {"/metrics",
       [metrics = std::move(metrics)](const http::Request&) {
         return http::Response{
             .status = 200, .headers = {{"Content-Type", std::string(runtime::Metrics::kContentType)}}, .body = metrics()};
       }},
  };
  // Both families by the first; a kernel without IPv6 has only the second.
  options.address = listen.host.empty() ? "::" : listen.host;
  absl::StatusOr<std::unique_ptr<http::Server>> server = http::Server::Start(options);
  if (!server.ok() && listen.host.empty()) {
    options.address = "0.0.0.0";
    server = http::Server::Start(options);
  }
  if (!server.ok()) return Annotate(server.status(), absl::StrCat("--metrics-address=\"", address, "\""));
  return server;
}

}  // namespace kupen::cmd
