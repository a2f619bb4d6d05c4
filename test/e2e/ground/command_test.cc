// The `cluster` command, on a second cluster with state of its own beside the one that runs.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "test/support/cluster.h"
#include "test/support/cluster_command.h"

namespace kupen::test {
namespace {

class Command : public testing::Test {
 protected:
  Command() {
    std::string name = testing::TempDir() + "cluster-XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~Command() override {
    const absl::Status wiped = Run({"wipe"}).status();
    EXPECT_TRUE(wiped.ok()) << wiped;
    EXPECT_FALSE(std::filesystem::exists(State()));
    std::filesystem::remove_all(directory_);
  }

  std::string State() const { return directory_ + "/state"; }
  std::vector<std::string> Variables() const { return {absl::StrCat("KUPENSTACK_STATE=", State())}; }
  absl::StatusOr<std::string> Run(std::vector<std::string> arguments) const {
    return Cluster(std::move(arguments), Variables());
  }

  // The states of the control plane's parts, as one word each.
  std::string ControlStates() const {
    const absl::StatusOr<ClusterState> state = GetClusterState(Variables());
    EXPECT_TRUE(state.ok()) << state.status();
    std::string states;
    if (!state.ok()) return states;
    for (const Part& part : state->parts) {
      if (part.name == "etcd" || part.name == "kube-apiserver" || part.name == "kube-controller-manager") {
        absl::StrAppend(&states, part.state, " ");
      }
    }
    return states;
  }

 private:
  std::string directory_;
};

TEST_F(Command, DownKeepsStateAndUpBringsItBack) {
  ASSERT_OK(Run({"up", "control"}).status());
  EXPECT_EQ(ControlStates(), "ready ready ready ");
  ASSERT_OK(Run({"exec", "kubectl", "create", "configmap", "kept"}).status());
  ASSERT_OK(Run({"down"}).status());
  EXPECT_EQ(ControlStates(), "stopped stopped stopped ");
  EXPECT_FALSE(Run({"running"}).ok());
  ASSERT_OK(Run({"up", "control"}).status());
  ASSERT_OK(Run({"exec", "kubectl", "get", "configmap", "kept"}).status());
}

TEST_F(Command, PartThatCannotStartIsNamedWithItsLog) {
  // A certificate that is none: the API server can't start, and what needs it is not tried.
  ASSERT_OK(Run({"up", "control"}).status());
  ASSERT_OK(Run({"down"}).status());
  std::ofstream(State() + "/pki/apiserver.crt") << "broken";
  const absl::Status failed = Run({"up", "control"}).status();
  ASSERT_FALSE(failed.ok());
  ASSERT_OK(Contains(failed.message(), "exited with 1"));
  ASSERT_OK(Contains(failed.message(), "kube-apiserver: it ended by itself; the last lines of"));
  ASSERT_OK(Contains(failed.message(), "PEM"));
  ASSERT_OK(Contains(failed.message(), "not started because of that: kube-controller-manager"));
}

TEST_F(Command, DirectoryThatIsNoStateIsLeftAlone) {
  std::filesystem::create_directories(State());
  std::ofstream(State() + "/thesis.txt") << "years of work";
  for (const char* verb : {"up", "wipe"}) {
    const absl::Status refused = Run({verb}).status();
    ASSERT_FALSE(refused.ok());
    ASSERT_OK(Contains(refused.message(), "not a cluster's state"));
  }
  EXPECT_TRUE(std::filesystem::exists(State() + "/thesis.txt"));
  std::filesystem::remove_all(State());
}

TEST_F(Command, UnknownWordsGetTheUsage) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"fly"}, {"up", "moon"}, {}}) {
    const absl::Status refused = Run(words).status();
    ASSERT_FALSE(refused.ok());
    ASSERT_OK(Contains(refused.message(), "usage: cluster up"));
  }
}

}  // namespace
}  // namespace kupen::test
