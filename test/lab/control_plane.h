// The lab's own etcd, API server and controller manager, which a test may stop and start, and take back to an earlier day.
//
//   ASSERT_OK(StopControlPlane());
//   std::filesystem::copy(EtcdDirectory(), backup, std::filesystem::copy_options::recursive);
//   ASSERT_OK(StartControlPlane());
#pragma once

#include <filesystem>

#include "absl/status/status.h"

namespace kupen::test {

// All at once and by their pids, as on a node that loses power; returns when they are gone.
absl::Status StopControlPlane();
// Returns when they are ready.
absl::Status StartControlPlane();

std::filesystem::path EtcdDirectory();

}  // namespace kupen::test
