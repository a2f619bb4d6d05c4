// Makes the provider of the crash tests die where it is told to. KUPENSTACK_CRASHES is a directory that remembers the deaths,
// so that each comes once however often the process is started again.
//
// An object dies at the point that its name begins with: "create-sent-network" at create-sent. One that is to be found must
// first be lost, and so dies there too. With KUPENSTACK_CRASH_CHANCE=N any object does, at any point, once in N times.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "provider/base/crash_point.h"

namespace kupen::test {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// At once, like a node without power: nothing is flushed, no destructor runs.
void Die() { kill(getpid(), SIGKILL); }

// False if it was there already.
bool Remember(const std::string& path) {
  const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (file >= 0) close(file);
  return file >= 0;
}

void DieWhenNamed(absl::string_view point, absl::string_view object) {
  static const std::string directory = Variable("KUPENSTACK_CRASHES");
  const bool named = absl::StartsWith(object, absl::StrCat(point, "-"));
  const bool to_be_lost = point == "create-sent" && absl::StartsWith(object, "found-");
  if (!named && !to_be_lost) return;
  if (Remember(absl::StrCat(directory, "/", to_be_lost ? "lost-" : "", object))) Die();
}

void DieByChance(absl::string_view /*point*/, absl::string_view /*object*/) {
  thread_local std::mt19937 random{std::random_device{}()};
  static const int chance = [] {
    int number = 0;
    return absl::SimpleAtoi(Variable("KUPENSTACK_CRASH_CHANCE"), &number) ? number : 0;
  }();
  if (chance > 0 && random() % static_cast<unsigned>(chance) == 0) Die();
}

const bool kHandled = [] {
  if (!Variable("KUPENSTACK_CRASHES").empty()) SetCrashHandler(DieWhenNamed);
  if (!Variable("KUPENSTACK_CRASH_CHANCE").empty()) SetCrashHandler(DieByChance);
  return true;
}();

}  // namespace
}  // namespace kupen::test
