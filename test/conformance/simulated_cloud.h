// A simulated cloud for a replay. Its time stands still, but for the pauses of steps that wait.
#pragma once

#include <string>

#include "test/conformance/replay.h"
#include "test/fakes/fake_clock.h"
#include "test/simulator/simulator.h"

namespace kupen::conformance {

class SimulatedCloud {
 public:
  explicit SimulatedCloud(const std::string& run);

  test::Simulator& simulator() { return simulator_; }
  Replay& replay() { return replay_; }

 private:
  test::FakeClock clock_;
  test::Simulator simulator_;
  Replay replay_;
};

}  // namespace kupen::conformance
