// provider-kupenstack: see `provider-kupenstack --help`.
#include <malloc.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "provider/cmd/flags.h"
#include "provider/cmd/provider.h"
#include "provider/runtime/log.h"

namespace {

constexpr int kBadUsage = 2;
// Each further one costs memory, and the threads here mostly wait for the network.
constexpr int kMallocArenas = 2;

// Blocked in all threads, so that the one that waits for them gets them.
sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

}  // namespace

int main(int argc, char** argv) {
  const absl::Time started = absl::Now();
  mallopt(M_ARENA_MAX, kMallocArenas);
  const absl::StatusOr<kupen::cmd::Flags> flags = kupen::cmd::ParseFlags(std::vector<std::string>(argv + 1, argv + argc),
                                                                         [](const char* name) { return std::getenv(name); });
  if (!flags.ok()) {
    std::cerr << "provider-kupenstack: " << flags.status().message() << "\nSee provider-kupenstack --help.\n";
    return kBadUsage;
  }
  if (flags->help || flags->version) {
    std::cout << (flags->help ? kupen::cmd::FlagsHelp() : "provider-kupenstack " KUPEN_VERSION "\n");
    return EXIT_SUCCESS;
  }
  if (flags->debug) kupen::log::SetLevel(kupen::log::Level::kDebug);

  std::stop_source stop;
  std::thread([&stop, signals = BlockStopSignals()] {
    int signal = 0;
    sigwait(&signals, &signal);
    stop.request_stop();
  }).detach();
  const absl::Status end = kupen::cmd::RunProvider(*flags, started, stop.get_token());
  if (!end.ok()) kupen::log::Error("cannot run", {{"error", end}});
  std::_Exit(end.ok() ? EXIT_SUCCESS : EXIT_FAILURE);
}
