#include "test/lab/provider_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace kupen::test {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(10);
// Of a process that a sanitizer ended (cmake/Sanitizers.cmake).
constexpr int kFoundByASanitizer = 66;

std::vector<std::string> Environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string name(*variable, std::strcspn(*variable, "="));
    if (!added.contains(name)) variables.emplace_back(*variable);
  }
  for (const auto& [name, value] : added) variables.push_back(absl::StrCat(name, "=", value));
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

absl::StatusOr<ProviderProcess> ProviderProcess::Start(const ProviderOptions& options) {
  std::vector<std::string> words = {options.program, "--allow-address=127.0.0.0/8", "--poll=1s", "--lost-create-pause=2s",
                                    "--metrics-address=127.0.0.1:0"};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::map<std::string, std::string> added = options.environment;
  added.try_emplace("POD_NAMESPACE", "default");
  std::vector<std::string> variables = Environment(added);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, options.log.c_str(), O_CREAT | O_APPEND | O_WRONLY, 0644);
  pid_t pid = -1;
  const int problem =
      posix_spawn(&pid, options.program.c_str(), &files, nullptr, Pointers(words).data(), Pointers(variables).data());
  posix_spawn_file_actions_destroy(&files);
  if (problem != 0) return absl::NotFoundError(absl::StrCat("cannot start ", options.program, ": ", std::strerror(problem)));
  return ProviderProcess(pid, static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

ProviderProcess::~ProviderProcess() {
  if (pid_ > 0) kill(pid_, SIGTERM);
  if (pid_ > 0 && !AwaitEnd(kPatience).has_value()) Kill();
  if (file_ >= 0) close(file_);
}

std::optional<int> ProviderProcess::AwaitEnd(absl::Duration limit) {
  pollfd ended{.fd = file_, .events = POLLIN, .revents = 0};
  if (poll(&ended, 1, static_cast<int>(absl::ToInt64Milliseconds(limit))) <= 0) return std::nullopt;
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == kFoundByASanitizer) << "a sanitizer ended the provider: see its log";
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void ProviderProcess::Kill() {
  kill(pid_, SIGKILL);
  AwaitEnd(absl::InfiniteDuration());
}

}  // namespace kupen::test
