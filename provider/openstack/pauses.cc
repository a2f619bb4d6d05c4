#include "provider/openstack/pauses.h"

#include <algorithm>

#include "provider/http/transport.h"
#include "provider/openstack/error.h"

namespace kupen::openstack {
namespace {

// Whatever a service says: people wait for it.
constexpr absl::Duration kLongestPause = absl::Minutes(5);

}  // namespace

absl::Status Pauses::Check(const std::string& service) const {
  const std::lock_guard guard(mutex_);
  const auto found = pauses_.find(service);
  if (found == pauses_.end()) return absl::OkStatus();
  const absl::Duration left = found->second.until - clock_.Now();
  if (left <= absl::ZeroDuration()) return absl::OkStatus();
  return http::MarkNeverSent(WithRetryAfter(found->second.cause, left));
}

void Pauses::Note(const std::string& service, const absl::Status& error) {
  if (DispositionOf(error) != Disposition::kRetryAfter) return;
  const absl::Time until = clock_.Now() + std::min(RetryAfterOf(error), kLongestPause);
  const std::lock_guard guard(mutex_);
  Pause& pause = pauses_[service];
  if (pause.until < until) pause = {.until = until, .cause = error};
}

}  // namespace kupen::openstack
