#include "test/lab/control_plane.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "test/support/cluster.h"
#include "test/support/cluster_command.h"

namespace kupen::test {
namespace {

constexpr int kPatienceMs = 10'000;

absl::Status KillAndWait(const Part& part) {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, part.pid, 0));
  if (process < 0) return absl::OkStatus();
  kill(part.pid, SIGKILL);
  pollfd ended{.fd = process, .events = POLLIN, .revents = 0};
  const bool is_gone = poll(&ended, 1, kPatienceMs) > 0;
  close(process);
  return is_gone ? absl::OkStatus() : absl::DeadlineExceededError(absl::StrCat(part.name, " does not end"));
}

}  // namespace

absl::Status StopControlPlane() {
  ASSIGN_OR_RETURN(const ClusterState state, GetClusterState());
  for (const Part& part : state.parts) {
    if (part.pid > 1) RETURN_IF_ERROR(KillAndWait(part));
  }
  return absl::OkStatus();
}

absl::Status StartControlPlane() { return Cluster({"up", "control"}).status(); }

std::filesystem::path EtcdDirectory() { return std::filesystem::path(ClusterVariable("KUPENSTACK_STATE")) / "etcd"; }

}  // namespace kupen::test
