#include "test/e2e/ground/recovery.h"

#include <signal.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "test/support/subprocess.h"

namespace kupen::test {

Keepsake::Keepsake() {
  const absl::Status kept = Kubectl({"create", "configmap", "kept", "--namespace", scratch_.name()}).status();
  EXPECT_TRUE(kept.ok()) << kept;
  const absl::Status volume = RunProgram({"openstack", "volume", "create", "--size=1", scratch_.name()}).status();
  EXPECT_TRUE(volume.ok()) << volume;
}

Keepsake::~Keepsake() {
  const absl::Status deleted = RunProgram({"openstack", "volume", "delete", scratch_.name()}).status();
  EXPECT_TRUE(deleted.ok()) << deleted;
}

absl::Status Keepsake::Check() {
  RETURN_IF_ERROR(Kubectl({"get", "configmap", "kept", "--namespace", scratch_.name()}).status());
  RETURN_IF_ERROR(Kubectl({"create", "configmap", absl::StrCat("new-", ++writes_), "--namespace", scratch_.name()}).status());
  RETURN_IF_ERROR(RunProgram({"openstack", "volume", "show", scratch_.name()}).status());
  const std::string server = absl::StrCat(scratch_.name(), "-", writes_);
  RETURN_IF_ERROR(
      RunProgram({"openstack", "server", "create", "--flavor=m1.tiny", "--image=cirros", "--network=private", "--wait", server})
          .status());
  return RunProgram({"openstack", "server", "delete", "--wait", server}).status();
}

absl::Status Kill(const Part& part) {
  if (part.pid <= 1 || kill(part.pid, SIGKILL) != 0) {
    return absl::NotFoundError(absl::StrCat(part.name, " does not run"));
  }
  return absl::OkStatus();
}

absl::Status BringBack() {
  RETURN_IF_ERROR(Cluster({"up", "all"}).status());
  ASSIGN_OR_RETURN(const ClusterState state, GetClusterState());
  for (const Part& part : state.parts) {
    if (part.state != "ready") return absl::InternalError(absl::StrCat(part.name, " is ", part.state));
  }
  return absl::OkStatus();
}

}  // namespace kupen::test
