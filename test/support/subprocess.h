// Runs a program to its end and keeps what it printed.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace kupen::test {

struct RunOptions {
  std::string standard_input = "";
  // A program that takes longer is killed with all that it started, and RunProgram gives DEADLINE_EXCEEDED.
  absl::Duration limit = absl::Minutes(2);
};

// The program is looked up in PATH. Gives what it wrote to standard output; if it could not be started or did not exit with 0,
// an error that holds the command, how it ended and what it wrote to standard error.
absl::StatusOr<std::string> RunProgram(const std::vector<std::string>& argv, const RunOptions& options = {});

}  // namespace kupen::test
