#include "provider/base/uuid.h"

#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen {
namespace {

TEST(Uuid, LooksLikeARandomUuid) {
  EXPECT_THAT(NewUuid(), testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

TEST(Uuid, IsNeverTheSame) {
  std::set<std::string> made;
  for (int i = 0; i < 1000; ++i) made.insert(NewUuid());
  EXPECT_EQ(made.size(), 1000u);
}

}  // namespace
}  // namespace kupen
