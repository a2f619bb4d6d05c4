// The simulator answers as the real OpenStack does: both get the same requests (test/conformance/requests), a file for each
// test.
#include <filesystem>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "test/conformance/compare.h"
#include "test/conformance/replay.h"
#include "test/conformance/simulated_cloud.h"
#include "test/conformance/steps.h"
#include "test/e2e/openstack/real_cloud.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

constexpr absl::Duration kPause = absl::Milliseconds(200);

class Conformance : public testing::TestWithParam<std::string> {};

TEST_P(Conformance, OfTheSimulator) {
  ASSERT_OK_AND_ASSIGN(const std::vector<conformance::Step> steps, conformance::ReadSteps(GetParam()));
  const std::string run = ScratchName("conformance");
  conformance::SimulatedCloud simulated(run);
  conformance::Replay real(
      {.demo = RealCloud("demo"), .admin = RealCloud("admin"), .run = run, .pause = [] { absl::SleepFor(kPause); }});
  const std::vector<conformance::Reply> ours = simulated.replay().Send(steps);
  const std::vector<conformance::Reply> theirs = real.Send(steps);
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const std::string& wrong : conformance::CompareReplies(steps[i], ours[i], theirs[i])) ADD_FAILURE() << wrong;
  }
  for (const std::string& left : real.CleanUp()) ADD_FAILURE() << left;
}

INSTANTIATE_TEST_SUITE_P(All, Conformance, testing::ValuesIn(conformance::RequestFiles()),
                         [](const auto& file) { return std::filesystem::path(file.param).stem().string(); });

}  // namespace
}  // namespace kupen::test
