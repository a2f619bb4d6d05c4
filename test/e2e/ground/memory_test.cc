#include "gtest/gtest.h"
#include "test/support/cluster.h"
#include "test/support/cluster_command.h"

namespace kupen::test {
namespace {

TEST(Memory, EverythingTogetherTakesLessThanEightGigabytes) {
  ASSERT_OK_AND_ASSIGN(const ClusterState state, GetClusterState());
  EXPECT_GT(state.parts.size(), 25u) << "only with all of it running does the number say anything";
  EXPECT_LT(state.resident_bytes, int64_t{8} << 30);
}

}  // namespace
}  // namespace kupen::test
