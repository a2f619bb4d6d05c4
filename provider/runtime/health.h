// Whether the process is alive and ready, for the kubelet to ask.
//
//   Heartbeat watch(SystemClock());                     // a thread beats it whenever it gets somewhere
//   Health health;
//   health.AddLiveness("watch", [&] { return watch.Check(absl::Minutes(10)); });
//   health.AddReadiness("caches", [&] { return synced ? absl::OkStatus() : absl::UnavailableError("…"); });
//   ServerOptions{.routes = {{"/healthz", [&](const auto&) { return health.Live(); }}, …}}
//
// A process that is not alive is restarted; one that is not ready is not yet counted as a working replica.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/base/clock.h"
#include "provider/http/transport.h"

namespace kupen::runtime {

// When something last got somewhere.
// Thread safety: all methods may be called from any thread.
class Heartbeat {
 public:
  explicit Heartbeat(Clock& clock) : clock_(clock) { Beat(); }

  void Beat() { last_ = absl::ToUnixMillis(clock_.Now()); }

  // An error if that is longer ago.
  absl::Status Check(absl::Duration limit) const;

 private:
  Clock& clock_;
  std::atomic<int64_t> last_;
};

// Thread safety: all methods may be called from any thread.
class Health {
 public:
  using Check = std::function<absl::Status()>;

  // Both are asked at each request, and must be quick.
  void AddLiveness(absl::string_view name, Check check) { Add(liveness_, name, std::move(check)); }
  void AddReadiness(absl::string_view name, Check check) { Add(readiness_, name, std::move(check)); }

  // 200, or 500 with a line for each check that fails.
  http::Response Live() const { return Answer(liveness_); }
  http::Response Ready() const { return Answer(readiness_); }

 private:
  struct Named {
    std::string name;
    Check check;
  };

  void Add(std::vector<Named>& checks, absl::string_view name, Check check);
  http::Response Answer(const std::vector<Named>& checks) const;

  mutable std::mutex mutex_;
  std::vector<Named> liveness_;
  std::vector<Named> readiness_;
};

}  // namespace kupen::runtime
