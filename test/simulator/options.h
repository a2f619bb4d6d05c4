// How a simulated cloud is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "provider/base/clock.h"

namespace kupen::simulator {

// Somebody who may log in: a user with a project of his own, both in the domain Default.
struct Account {
  std::string user;
  std::string password;
  std::string project;
  bool is_admin = false;
  // Quotas of the project; negative for none.
  int max_instances = -1;
  int max_gigabytes = -1;
};

struct SimulatorOptions {
  std::string address = "127.0.0.1";
  // 0 takes any that is free.
  int port = 0;
  // What the catalog says, if clients reach it at another address than it listens on.
  std::string public_url = "";
  std::string region = "RegionOne";
  std::vector<Account> accounts = {{.user = "admin", .password = "admin", .project = "admin", .is_admin = true},
                                   {.user = "demo", .password = "demo", .project = "demo"}};

  // Before each answer.
  absl::Duration latency = absl::ZeroDuration();
  // Servers: BUILD to ACTIVE; os-start, os-stop; and until a deleted one is gone.
  absl::Duration build_time = absl::Milliseconds(500);
  absl::Duration action_time = absl::Milliseconds(200);
  absl::Duration delete_time = absl::Milliseconds(200);
  // Images: saving to active. Glance answers an upload when it is active, so this delays that answer.
  absl::Duration save_time = absl::ZeroDuration();
  // Volumes: creating to available, deleting to gone.
  absl::Duration volume_time = absl::Milliseconds(200);
  // Load balancers: PENDING_* to ACTIVE, or gone.
  absl::Duration balancer_time = absl::Milliseconds(500);
  absl::Duration token_life = absl::Hours(24);

  // Nova's, over which servers are spread in turn.
  int cells = 2;
  // Of the faults with a probability.
  uint32_t seed = 1;
  // For all but the latency and the delays of faults, which are real.
  Clock* clock = &SystemClock();
};

}  // namespace kupen::simulator
