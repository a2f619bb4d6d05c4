// Makes the provider of the crash tests die where it is told to. KUPENSTACK_CRASHES is a directory that remembers the deaths,
// so that each comes once however often the process is started again.
//
// An object dies at the point that its name begins with: "create-sent-network" at create-sent. One that is to be found must
// first be lost, and so dies there too. With KUPENSTACK_CRASH_WITHIN=4s the process dies at the first point that any object
// comes to after a random time, up to that.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
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

// A process that lives too short a time never gets past what it has to wait for, such as two looks for a lost create.
void DieSomeTime(absl::string_view /*point*/, absl::string_view /*object*/) {
  static const absl::Time time_to_die = [] {
    absl::Duration longest;
    std::random_device device;
    if (!absl::ParseDuration(Variable("KUPENSTACK_CRASH_WITHIN"), &longest)) return absl::InfiniteFuture();
    return absl::Now() + longest * std::uniform_real_distribution<>(0, 1)(device);
  }();
  if (absl::Now() >= time_to_die) Die();
}

const bool kHandled = [] {
  if (!Variable("KUPENSTACK_CRASHES").empty()) SetCrashHandler(DieWhenNamed);
  if (!Variable("KUPENSTACK_CRASH_WITHIN").empty()) SetCrashHandler(DieSomeTime);
  return true;
}();

}  // namespace
}  // namespace kupen::test
