// The `cluster` command itself, for tests of the cluster.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kupen::test {

// Runs `cluster …`, with variables (NAME=value) added to its environment. Gives what it printed.
absl::StatusOr<std::string> Cluster(std::vector<std::string> arguments, const std::vector<std::string>& variables = {});

struct Part {
  std::string name;
  std::string state;
  pid_t pid = 0;
};

struct ClusterState {
  std::vector<Part> parts;
  int64_t resident_bytes = 0;
};

absl::StatusOr<ClusterState> GetClusterState(const std::vector<std::string>& variables = {});

}  // namespace kupen::test
