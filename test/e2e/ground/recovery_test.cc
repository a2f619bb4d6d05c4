// The worst case at once: every process dies. `make soak` kills them one by one.
#include "test/e2e/ground/recovery.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "test/support/subprocess.h"

namespace kupen::test {
namespace {

TEST(Recovery, AllPartsDieAndComeBackWithTheirState) {
  Keepsake keepsake;
  for (const std::string& service : Services()) ASSERT_OK(Kill(service));
  ASSERT_OK(ClusterUp());
  ASSERT_OK(keepsake.Check());
}

TEST(Recovery, EverythingFitsIntoEightGigabytes) {
  ASSERT_OK_AND_ASSIGN(const std::string table, RunProgram({ClusterVariable("KUPENSTACK_SOURCE") + "/cluster", "status"}));
  // The last line ends "…, 4012 MB resident in all".
  const std::vector<std::string> words = absl::StrSplit(table, ' ', absl::SkipWhitespace());
  ASSERT_GT(words.size(), 5u) << table;
  int megabytes = 0;
  ASSERT_TRUE(absl::SimpleAtoi(words[words.size() - 5], &megabytes)) << table;
  EXPECT_GT(megabytes, 1000) << table;
  EXPECT_LT(megabytes, 8192) << table;
}

}  // namespace
}  // namespace kupen::test
