// The HTTP server for those who watch over the process: /metrics, /healthz and /readyz.
//
//   ASSIGN_OR_RETURN(const std::unique_ptr<http::Server> server, ServeTelemetry(":8080", health, [&] { return metrics.Text();
//   }));
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/http/server.h"
#include "provider/runtime/health.h"

namespace kupen::cmd {

struct ListenAddress {
  // Empty for all.
  std::string host;
  int port = 0;
};

// ":8080", "127.0.0.1:8080", "[::1]:8080".
absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text);

// One server for all: Crossplane gives a provider's pod one port for this, and needs no other. Serves until it is destroyed;
// null if the address is "0". What is given must outlive it.
absl::StatusOr<std::unique_ptr<http::Server>> ServeTelemetry(absl::string_view address, const runtime::Health& health,
                                                             std::function<std::string()> metrics);

}  // namespace kupen::cmd
