// Parts die and come back: here one of each sort. `make soak` kills each of them, and all at once.
#include "test/e2e/ground/recovery.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace kupen::test {
namespace {

TEST(Recovery, OneOfEachSortDiesAndComesBack) {
  // A server with workers that would outlive it, one that reports through the database, one that holds pods, and a pod.
  constexpr absl::string_view kSorts[] = {"neutron-server", "nova-compute-1", "containerd", "pod/crossplane"};
  Keepsake keepsake;
  ASSERT_OK_AND_ASSIGN(const ClusterState before, GetClusterState());
  for (const absl::string_view name : kSorts) {
    const auto part = std::find_if(before.parts.begin(), before.parts.end(), [name](const Part& p) { return p.name == name; });
    ASSERT_NE(part, before.parts.end()) << name;
    ASSERT_OK(Kill(*part));
  }
  ASSERT_OK(BringBack());
  ASSERT_OK(keepsake.Check());
}

}  // namespace
}  // namespace kupen::test
