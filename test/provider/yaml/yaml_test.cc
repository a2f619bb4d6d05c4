#include "provider/yaml/yaml.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen::yaml {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Load, GivesTheDocument) {
  const absl::StatusOr<YAML::Node> root = Load("a: [1, two]");
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ((*root)["a"][1].Scalar(), "two");
}

TEST(Load, AnErrorNamesThePlaceAndShowsNothingOfTheText) {
  for (const std::string text :
       {"token: *hunter2", "token: \"\\hunter2", "token: 'hunter2", "token: a: hunter2: [", "[hunter2}"}) {
    const absl::Status status = Load(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("line 1, column "));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("hunter2")));
  }
}

TEST(Load, SurvivesDeepNesting) { EXPECT_FALSE(Load(std::string(100'000, '[')).ok()); }

}  // namespace
}  // namespace kupen::yaml
