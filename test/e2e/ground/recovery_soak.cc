// Each part dies by itself while the others go on, and all at once.
#include <iostream>

#include "gtest/gtest.h"
#include "test/e2e/ground/recovery.h"

namespace kupen::test {
namespace {

TEST(RecoverySoak, EachPartDiesByItselfAndComesBack) {
  Keepsake keepsake;
  ASSERT_OK_AND_ASSIGN(const ClusterState before, GetClusterState());
  for (const Part& part : before.parts) {
    SCOPED_TRACE(part.name);
    std::cout << "killing " << part.name << "\n" << std::flush;
    ASSERT_OK(Kill(part));
    ASSERT_OK(BringBack());
    ASSERT_OK(keepsake.Check());
  }
}

TEST(RecoverySoak, AllPartsDieAndComeBackWithTheirState) {
  Keepsake keepsake;
  ASSERT_OK_AND_ASSIGN(const ClusterState before, GetClusterState());
  for (const Part& part : before.parts) ASSERT_OK(Kill(part));
  ASSERT_OK(BringBack());
  ASSERT_OK(keepsake.Check());
}

}  // namespace
}  // namespace kupen::test
