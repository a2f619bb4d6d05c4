// main() of every test that needs a running cluster: enters its network namespace, and takes over its settings from the file
// that `cluster up` writes. So a test program can be started by hand, without any wrapper.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace {

std::string StateDirectory() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string state = variable("KUPENSTACK_STATE"); !state.empty()) return state;
  if (const std::string xdg = variable("XDG_STATE_HOME"); !xdg.empty()) return xdg + "/kupenstack";
  return variable("HOME") + "/.local/state/kupenstack";
}

// A proxy can't be reached from inside the namespace, and a sourced openrc would point at another cloud.
void DropMisleadingVariables() {
  std::vector<std::string> names;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string name(*variable, std::strcspn(*variable, "="));
    if (absl::StartsWith(name, "OS_") || absl::EndsWithIgnoreCase(name, "_proxy")) names.push_back(name);
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

// The problem, or nothing.
std::string EnterCluster() {
  const std::string path = absl::StrCat(StateDirectory(), "/env");
  std::ifstream settings(path);
  if (!settings) return absl::StrCat("no cluster: ", path, " is missing (make cluster-up)");
  DropMisleadingVariables();
  for (std::string line; std::getline(settings, line);) {
    if (const size_t sign = line.find('='); sign != std::string::npos) {
      setenv(line.substr(0, sign).c_str(), line.substr(sign + 1).c_str(), /*overwrite=*/1);
    }
  }
  const char* name = std::getenv("KUPENSTACK_NETNS");
  const int file = name == nullptr ? -1 : open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return "no cluster: its network namespace is missing (make cluster-up)";
  const bool entered = setns(file, CLONE_NEWNET) == 0;
  close(file);
  return entered ? "" : "the cluster's network namespace can't be entered: root only";
}

// Tests run side by side: what one leaves in testing::TempDir() must not be another's.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = std::filesystem::temp_directory_path() / "kupenstack-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
    setenv("TEST_TMPDIR", absl::StrCat(name, "/").c_str(), /*overwrite=*/1);
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

 private:
  std::filesystem::path path_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Listing the tests needs no cluster: the build does it.
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  if (const std::string problem = EnterCluster(); !problem.empty()) {
    std::cerr << problem << "\n";
    return 1;
  }
  const ScratchDirectory scratch;
  return RUN_ALL_TESTS();
}
