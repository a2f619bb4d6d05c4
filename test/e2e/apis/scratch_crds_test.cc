#include "test/support/scratch_crds.h"

#include "gtest/gtest.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

TEST(ScratchCrds, AreTakenByTheApiServer) { ASSERT_OK(InstallCrds()); }

}  // namespace
}  // namespace kupen::test
