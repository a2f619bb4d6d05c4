// The provider as a process of its own, beside the test: it can be killed, and started again.
//
//   ASSERT_OK_AND_ASSIGN(ProviderProcess provider, ProviderProcess::Start({.program = KUPEN_CRASHING_PROVIDER}));
//   provider.Kill();
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace kupen::test {

struct ProviderOptions {
  std::string program = "";
  // Added to those that every test needs: addresses on loopback are allowed, clouds are looked at every second, lost answers
  // are given up after two.
  std::vector<std::string> arguments = {};
  std::map<std::string, std::string> environment = {};
  // What it logs goes to the end of this file.
  std::string log = "";
};

class ProviderProcess {
 public:
  static absl::StatusOr<ProviderProcess> Start(const ProviderOptions& options);
  // Asks it to end, and makes it.
  ~ProviderProcess();
  ProviderProcess(ProviderProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), file_(std::exchange(other.file_, -1)) {}
  ProviderProcess& operator=(ProviderProcess&&) = delete;

  pid_t pid() const { return pid_; }

  // Waits until it has ended, and gives the number of the signal that ended it, or 0; nothing if it still runs after the limit.
  std::optional<int> AwaitEnd(absl::Duration limit);
  // At once, and waits for it.
  void Kill();

 private:
  ProviderProcess(pid_t pid, int file) : pid_(pid), file_(file) {}

  // -1 once it has ended.
  pid_t pid_;
  // A pidfd, to wait on.
  int file_;
};

}  // namespace kupen::test
