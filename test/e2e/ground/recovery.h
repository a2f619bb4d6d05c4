// Killing parts of the cluster, and seeing it come back with all that was in it.
#pragma once

#include "absl/status/status.h"
#include "test/support/cluster.h"
#include "test/support/cluster_command.h"

namespace kupen::test {

// A namespace with an object in Kubernetes, and a volume in OpenStack: state that must outlive every process.
class Keepsake {
 public:
  Keepsake();
  ~Keepsake();
  Keepsake(const Keepsake&) = delete;
  Keepsake& operator=(const Keepsake&) = delete;

  // Still there, and both sides take new objects.
  absl::Status Check();

 private:
  const ScratchNamespace scratch_{"keepsake"};
  int writes_ = 0;
};

// Ends a part at once, by its pid alone: what it started is left to whoever brings it back.
absl::Status Kill(const Part& part);

// `cluster up`, and then everything is ready.
absl::Status BringBack();

}  // namespace kupen::test
