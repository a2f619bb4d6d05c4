// Killing parts of the cluster, and seeing it come back with all that was in it.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "test/support/cluster.h"

namespace kupen::test {

// A namespace with an object in Kubernetes, and a volume in OpenStack: state that must outlive every process.
class Keepsake {
 public:
  Keepsake();
  ~Keepsake();

  // Still there, and both sides take new objects.
  absl::Status Check();

 private:
  const ScratchNamespace scratch_{"keepsake"};
  int writes_ = 0;
};

// The services that run now, by name.
std::vector<std::string> Services();

// Ends a service at once, by its pid.
absl::Status Kill(const std::string& service);

absl::Status ClusterUp();

}  // namespace kupen::test
