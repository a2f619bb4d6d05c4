#include "test/conformance/simulated_cloud.h"

#include <cstdlib>
#include <iostream>
#include <utility>

#include "absl/time/time.h"
#include "provider/openstack/clouds_yaml.h"

namespace kupen::conformance {
namespace {

// The quotas of the real test cloud, where only those of demo are lifted.
test::SimulatorOptions OptionsWith(Clock& clock) {
  return {.accounts = {{.user = "admin",
                        .password = "admin",
                        .project = "admin",
                        .is_admin = true,
                        .max_instances = 10,
                        .max_gigabytes = 1000},
                       {.user = "demo", .password = "demo", .project = "demo"}},
          .clock = &clock};
}

openstack::Cloud CloudOf(const test::Simulator& simulator, absl::string_view name) {
  absl::StatusOr<openstack::Cloud> cloud = openstack::ParseCloudsYaml(simulator.CloudsYaml(), name);
  if (!cloud.ok()) {
    std::cerr << cloud.status() << "\n";
    std::exit(1);
  }
  return *std::move(cloud);
}

}  // namespace

SimulatedCloud::SimulatedCloud(const std::string& run)
    : simulator_(OptionsWith(clock_)),
      replay_({.demo = CloudOf(simulator_, "demo"), .admin = CloudOf(simulator_, "admin"), .run = run, .pause = [this] {
                 clock_.Advance(absl::Seconds(1));
               }}) {}

}  // namespace kupen::conformance
