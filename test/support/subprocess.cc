#include "test/support/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

extern char** environ;

namespace kupen::test {
namespace {

// An anonymous file for a program's input or output: it can write any amount without anybody reading, so nothing can block.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("program", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int fd() const { return fd_; }

  void Write(const std::string& text) {
    for (size_t done = 0; done < text.size();) {
      const ssize_t count = write(fd_, text.data() + done, text.size() - done);
      if (count < 0) return;
      done += static_cast<size_t>(count);
    }
    lseek(fd_, 0, SEEK_SET);
  }

  std::string Read() {
    lseek(fd_, 0, SEEK_SET);
    std::string text;
    std::array<char, 65536> buffer;
    for (ssize_t count; (count = read(fd_, buffer.data(), buffer.size())) > 0;) {
      text.append(buffer.data(), static_cast<size_t>(count));
    }
    return text;
  }

 private:
  const int fd_;
};

// Waits for the process to end. False if it still runs at the deadline.
bool WaitForExit(pid_t pid, absl::Time deadline, int& wait_status) {
  while (true) {
    if (waitpid(pid, &wait_status, WNOHANG) == pid) return true;
    if (absl::Now() > deadline) return false;
    poll(nullptr, 0, 5);
  }
}

}  // namespace

absl::StatusOr<std::string> RunProgram(const std::vector<std::string>& argv, const RunOptions& options) {
  MemoryFile in;
  MemoryFile out;
  MemoryFile err;
  in.Write(options.standard_input);

  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const absl::Cleanup destroy = [&actions] { posix_spawn_file_actions_destroy(&actions); };
  posix_spawn_file_actions_adddup2(&actions, in.fd(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.fd(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.fd(), STDERR_FILENO);

  // A process group of its own, so that it can be ended with its children.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const absl::Cleanup destroy_attributes = [&attributes] { posix_spawnattr_destroy(&attributes); };
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);

  const std::string command = absl::StrJoin(argv, " ");
  pid_t pid = 0;
  if (const int error = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ); error != 0) {
    return absl::NotFoundError(absl::StrCat(command, ": ", std::strerror(error)));
  }
  int wait_status = 0;
  if (!WaitForExit(pid, absl::Now() + options.limit, wait_status)) {
    kill(-pid, SIGKILL);
    waitpid(pid, &wait_status, 0);
    return absl::DeadlineExceededError(
        absl::StrCat(command, ": still running after ", absl::FormatDuration(options.limit), ": ", err.Read()));
  }
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0) return out.Read();
  const std::string how = WIFEXITED(wait_status) ? absl::StrCat("exited with ", WEXITSTATUS(wait_status))
                                                 : absl::StrCat("was ended by signal ", WTERMSIG(wait_status));
  return absl::InternalError(absl::StrCat(command, ": ", how, ": ", err.Read(), out.Read()));
}

}  // namespace kupen::test
