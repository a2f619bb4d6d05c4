// The command line: what every Crossplane provider takes, and a little more.
//
//   const absl::StatusOr<Flags> flags = ParseFlags({"--poll=30s", "-d"}, std::getenv);
//
// Values follow a '=' or are the next argument; durations are written as in Go (1m30s, 500ms). An environment variable counts
// only if its flag is not given.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace kupen::cmd {

struct Flags {
  bool debug = false;
  absl::Duration sync = absl::Hours(1);
  absl::Duration poll = absl::Seconds(30);
  absl::Duration lost_create_pause = absl::Minutes(1);
  absl::Duration poll_state_metric = absl::Seconds(5);
  int max_reconcile_rate = 100;
  bool leader_election = false;
  std::string kubeconfig = {};
  std::string metrics_address = ":8080";
  std::vector<std::string> allow_address = {};
  std::vector<std::string> deny_address = {};
  // Print that, and nothing else.
  bool version = false;
  bool help = false;
};

using Environment = std::function<const char*(const char* name)>;

// INVALID_ARGUMENT names the flag, the value and what is allowed; of an unknown flag also the one that it resembles most.
absl::StatusOr<Flags> ParseFlags(const std::vector<std::string>& arguments, const Environment& environment);

// For --help.
std::string FlagsHelp();

}  // namespace kupen::cmd
