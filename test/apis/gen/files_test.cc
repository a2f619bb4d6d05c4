#include "apis/gen/files.h"

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "apis/gen/check.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/apis/support/scratch_kind.h"
#include "test/apis/support/twin.h"

namespace kupen::apis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::UnorderedElementsAre;

// A repository that is empty but for what the test puts there.
std::string EmptyRoot() {
  std::string root =
      absl::StrCat(testing::TempDir(), "/files_test.", testing::UnitTest::GetInstance()->current_test_info()->name());
  std::filesystem::remove_all(root);
  return root;
}

absl::StatusOr<Files> GenerateTwin(const std::string& root) {
  const absl::StatusOr<Kinds> kinds = test::LoadProto(test::kTwinPath, test::TwinProto());
  if (!kinds.ok()) return kinds.status();
  EXPECT_THAT(Check(*kinds), IsEmpty());
  return Generate(*kinds, root);
}

TEST(Files, APlainKindTakesOneProtoAndOneExample) {
  const std::string root = EmptyRoot();
  ASSERT_TRUE(WriteFile(absl::StrCat(root, "/", test::kTwinExamplePath), test::TwinExample()).ok());
  const absl::StatusOr<Files> files = GenerateTwin(root);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(*files, UnorderedElementsAre(Key("package/crds/compute.m.kupenstack.io_keypairtwins.yaml"),
                                           Key("docs/reference/compute.md")));
  EXPECT_THAT(files->at("docs/reference/compute.md"), HasSubstr("## KeyPairTwin"));
  EXPECT_THAT(files->at("docs/reference/compute.md"), HasSubstr(test::TwinExample()));
}

TEST(Files, SameInputSameBytes) {
  const std::string root = EmptyRoot();
  ASSERT_TRUE(WriteFile(absl::StrCat(root, "/", test::kTwinExamplePath), test::TwinExample()).ok());
  EXPECT_EQ(*GenerateTwin(root), *GenerateTwin(root));
}

TEST(Files, WritesOnlyWhatIsStaleAndRemovesWhatIsGone) {
  const std::string root = EmptyRoot();
  const Files files = {{"package/crds/a.yaml", "a"}, {"package/crds/b.yaml", "b"}};
  ASSERT_TRUE(WriteFile(absl::StrCat(root, "/package/crds/a.yaml"), "a").ok());
  ASSERT_TRUE(WriteFile(absl::StrCat(root, "/package/crds/gone.yaml"), "gone").ok());
  EXPECT_THAT(*StaleFiles(files, root), ElementsAre("package/crds/b.yaml", "package/crds/gone.yaml"));
  EXPECT_THAT(*WriteFiles(files, root), ElementsAre("package/crds/b.yaml", "package/crds/gone.yaml"));
  EXPECT_THAT(*StaleFiles(files, root), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(absl::StrCat(root, "/package/crds/gone.yaml")));
}

TEST(Files, SaysWhatCannotBeWritten) {
  EXPECT_EQ(WriteFile("/proc/nothing/here", "").message(), "/proc/nothing/here: cannot be written");
}

}  // namespace
}  // namespace kupen::apis
