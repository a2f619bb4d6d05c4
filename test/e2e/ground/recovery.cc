#include "test/e2e/ground/recovery.h"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "test/support/subprocess.h"

namespace kupen::test {
namespace {

std::filesystem::path RunDirectory() { return std::filesystem::path(ClusterVariable("KUPENSTACK_STATE")) / "run"; }

}  // namespace

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

std::vector<std::string> Services() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(RunDirectory())) {
    if (entry.path().extension() == ".pid") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status Kill(const std::string& service) {
  std::ifstream file(RunDirectory() / absl::StrCat(service, ".pid"));
  pid_t pid = 0;
  if (!(file >> pid) || pid <= 1) return absl::NotFoundError(absl::StrCat("no pid of ", service));
  // Its process group: workers that a service forked must not outlive it and keep its port.
  if (kill(-pid, SIGKILL) != 0) return absl::NotFoundError(absl::StrCat(service, " does not run"));
  return absl::OkStatus();
}

absl::Status ClusterUp() {
  return RunProgram({ClusterVariable("KUPENSTACK_SOURCE") + "/cluster", "up", "all"}, {.limit = absl::Minutes(4)}).status();
}

}  // namespace kupen::test
