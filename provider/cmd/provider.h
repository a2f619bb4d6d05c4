// The running provider: all that is between the flags and the end of the process.
//
//   const absl::Status end = RunProvider(flags, started, stop);
//
// Watches begin at once; reconciles once the lease is held (if there is to be one) and the caches are filled, so that a replica
// that takes over has nothing left to read.
#pragma once

#include <stop_token>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "provider/cmd/flags.h"

namespace kupen::cmd {

// OK after a stop: what was under way has ended, and the lease is given back. An error: why it cannot run. A lease that is lost
// ends the process on the spot. Either way the process is to end without destructors: threads of the clouds' mirrors still run.
absl::Status RunProvider(const Flags& flags, absl::Time started, const std::stop_token& stop);

}  // namespace kupen::cmd
