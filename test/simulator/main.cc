// kupenstack-simulator: a simulated OpenStack to try things on. Prints a clouds.yaml and serves until it is told to end.
#include <signal.h>

#include <iostream>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "test/simulator/simulator.h"

ABSL_FLAG(std::string, listen, "127.0.0.1:0", "address and port; port 0 takes any that is free");
ABSL_FLAG(std::string, public_url, "", "what the catalog says, if clients reach it elsewhere than it listens");
ABSL_FLAG(absl::Duration, latency, absl::ZeroDuration(), "before each answer");
ABSL_FLAG(absl::Duration, build_time, absl::Milliseconds(500), "until a server is ACTIVE");
ABSL_FLAG(absl::Duration, action_time, absl::Milliseconds(200), "until a server is started or stopped");
ABSL_FLAG(absl::Duration, delete_time, absl::Milliseconds(200), "until a deleted server is gone");
ABSL_FLAG(absl::Duration, save_time, absl::ZeroDuration(), "until an image's data is stored");
ABSL_FLAG(absl::Duration, volume_time, absl::Milliseconds(200), "until a volume is available, or gone");
ABSL_FLAG(absl::Duration, balancer_time, absl::Milliseconds(500), "until a load balancer is ACTIVE, or gone");
ABSL_FLAG(absl::Duration, token_life, absl::Hours(24), "for how long a token is good");
ABSL_FLAG(int, cells, 2, "of Nova, over which servers are spread");
ABSL_FLAG(uint32_t, seed, 1, "of faults with a probability");

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("a simulated OpenStack; see test/simulator/simulator.h");
  absl::ParseCommandLine(argc, argv);
  // Before there are threads, so that they leave the signals to us.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  const std::string listen = absl::GetFlag(FLAGS_listen);
  const std::pair<std::string, std::string> where = absl::StrSplit(listen, absl::MaxSplits(':', 1));
  kupen::simulator::SimulatorOptions options;
  options.address = where.first;
  if (!absl::SimpleAtoi(where.second, &options.port)) {
    std::cerr << "--listen: is " << listen << ", but must be an address and a port such as 127.0.0.1:8080\n";
    return 1;
  }
  options.public_url = absl::GetFlag(FLAGS_public_url);
  options.latency = absl::GetFlag(FLAGS_latency);
  options.build_time = absl::GetFlag(FLAGS_build_time);
  options.action_time = absl::GetFlag(FLAGS_action_time);
  options.delete_time = absl::GetFlag(FLAGS_delete_time);
  options.save_time = absl::GetFlag(FLAGS_save_time);
  options.volume_time = absl::GetFlag(FLAGS_volume_time);
  options.balancer_time = absl::GetFlag(FLAGS_balancer_time);
  options.token_life = absl::GetFlag(FLAGS_token_life);
  options.cells = absl::GetFlag(FLAGS_cells);
  options.seed = absl::GetFlag(FLAGS_seed);
  const auto simulator = kupen::simulator::Simulator::Start(options);
  if (!simulator.ok()) {
    std::cerr << simulator.status() << "\n";
    return 1;
  }
  std::cout << "# a simulated OpenStack at " << (*simulator)->url() << "\n" << (*simulator)->CloudsYaml() << std::flush;
  int signal = 0;
  sigwait(&ends, &signal);
  return 0;
}
