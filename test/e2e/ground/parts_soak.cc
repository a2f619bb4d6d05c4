// Each group of parts can be started alone, from nothing. (The others' tests start with everything there.)
#include <string>

#include "gtest/gtest.h"
#include "test/support/cluster.h"
#include "test/support/cluster_command.h"

namespace kupen::test {
namespace {

TEST(PartsSoak, EachGroupStartsAloneFromNothing) {
  for (const char* group : {"openstack", "node", "crossplane", "control"}) {
    SCOPED_TRACE(group);
    ASSERT_OK(Cluster({"wipe"}).status());
    ASSERT_OK(Cluster({"up", group}).status());
  }
  ASSERT_OK(Cluster({"up", "all"}).status());
}

}  // namespace
}  // namespace kupen::test
