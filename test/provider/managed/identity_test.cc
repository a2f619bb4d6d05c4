#include "provider/managed/identity.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace kupen::managed {
namespace {

const Marker our_marker = {.cluster = "1f3a55c0", .uid = "4b0e5a52-91f0-4f5e-9d3c-0123456789ab"};

TEST(Marker, FitsIntoATagOfNova) {
  EXPECT_EQ(our_marker.Text(), "kupen:1f3a55c0:4b0e5a52-91f0-4f5e-9d3c-0123456789ab");
  EXPECT_LE(our_marker.Text().size(), 60u);
  EXPECT_EQ(our_marker.Text().find_first_of(",/"), std::string::npos);
}

TEST(Marker, IsFoundInATagAndInADescription) {
  EXPECT_EQ(Marker::FindIn(our_marker.Text()), our_marker);
  EXPECT_EQ(Marker::FindIn(WithMarker("the blue network", our_marker)), our_marker);
  EXPECT_EQ(Marker::FindIn(WithMarker("", our_marker)), our_marker);
}

TEST(Marker, IsNotSeenWhereThereIsNone) {
  for (const char* text :
       {"", "kupen", "kupen:", "kupen:1f3a55c0", "kupen:1f3a55c0:not-a-uid", "kupen:short:4b0e5a52-91f0-4f5e-9d3c-0123456789ab",
        "kupen:1f3a55c0:4b0e5a52-91f0-4f5e-9d3c-0123456789ab:more"}) {
    EXPECT_EQ(Marker::FindIn(text), std::nullopt) << text;
  }
}

TEST(WithoutMarker, GivesBackWhatTheUserWrote) {
  for (const char* text : {"", "the blue network", "ends with a bracket]", "[brackets] inside", "kupen: a name"}) {
    EXPECT_EQ(WithoutMarker(WithMarker(text, our_marker)), text);
    EXPECT_EQ(WithoutMarker(text), text);
  }
}

TEST(ChosenId, IsTheSameForTheSameAttemptAndAnotherForTheNext) {
  std::set<std::string> ids;
  for (int attempt = 1; attempt <= 100; ++attempt) {
    ids.insert(ChosenId(our_marker.uid, attempt));
    EXPECT_EQ(ChosenId(our_marker.uid, attempt), ChosenId(our_marker.uid, attempt));
  }
  EXPECT_EQ(ids.size(), 100u);
  EXPECT_NE(ChosenId(our_marker.uid, 1), ChosenId("5b0e5a52-91f0-4f5e-9d3c-0123456789ab", 1));
}

TEST(ChosenId, IsAUuidOfVersionFive) {
  const std::string id = ChosenId(our_marker.uid, 1);
  ASSERT_EQ(id.size(), 36u);
  EXPECT_EQ(id[14], '5');
  EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos);
}

}  // namespace
}  // namespace kupen::managed
