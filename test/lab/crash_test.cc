// The provider dies at every step of create, update and delete, once for each way to know an object again; and the next process
// finishes what it began: nothing is left behind in the cloud, nothing is there twice, and nobody has to help.

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "test/lab/lab.h"
#include "test/lab/lives.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

// A minute of it is the pause between the two looks for what a create without an answer may have made.
constexpr int kLives = 4;
constexpr absl::Duration kLimit = absl::Minutes(2);

TEST(Crash, EveryStepOfEverySortLeaksNothingAndDoublesNothing) {
  Lab lab;
  ASSERT_OK(lab.status());
  const std::filesystem::path deaths = absl::StrCat(testing::TempDir(), "deaths");
  std::filesystem::create_directory(deaths);
  lab.environment()["KUPENSTACK_CRASHES"] = deaths;

  // One that another's death carries past its own point gets another life.
  std::vector<Life> lives = Lives();
  for (int life = 1; life <= kLives && !lives.empty(); ++life) {
    LiveAll(lab, lives, kLimit);
    if (HasFailure()) return;
    std::erase_if(lives, [&](const Life& one) { return std::filesystem::exists(deaths / one.name); });
  }
  for (const Life& one : lives) ADD_FAILURE() << one.name << " never came to its point";
  RecordProperty("deaths", lab.deaths());
}

}  // namespace
}  // namespace kupen::test
