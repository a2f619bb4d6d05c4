// A service that says "not now" (429, 503) is left alone by everybody for as long as it says, not only by the one whose request
// it was.
//
//   Pauses pauses(clock);
//   RETURN_IF_ERROR(pauses.Check("compute"));            // Disposition::kRetryAfter, without a request
//   … pauses.Note("compute", error);
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "provider/base/clock.h"

namespace kupen::openstack {

class Pauses {
 public:
  // The clock must outlive this.
  explicit Pauses(Clock& clock) : clock_(clock) {}

  // What the service said, if the time that it asked for is not over; RetryAfterOf() is what is left of it.
  absl::Status Check(const std::string& service) const;
  void Note(const std::string& service, const absl::Status& error);

 private:
  struct Pause {
    absl::Time until;
    absl::Status cause;
  };

  Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, Pause> pauses_;
};

}  // namespace kupen::openstack
