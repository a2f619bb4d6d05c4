// Each part dies by itself while the others go on.
#include <iostream>
#include <string>

#include "gtest/gtest.h"
#include "test/e2e/ground/recovery.h"

namespace kupen::test {
namespace {

TEST(RecoverySoak, EachPartDiesByItselfAndComesBack) {
  Keepsake keepsake;
  for (const std::string& service : Services()) {
    SCOPED_TRACE(service);
    std::cout << "killing " << service << "\n" << std::flush;
    ASSERT_OK(Kill(service));
    ASSERT_OK(ClusterUp());
    ASSERT_OK(keepsake.Check());
  }
}

}  // namespace
}  // namespace kupen::test
