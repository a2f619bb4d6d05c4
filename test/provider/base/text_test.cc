#include "provider/base/text.h"

#include <string>

#include "gtest/gtest.h"

namespace kupen {
namespace {

TEST(Cut, NeverInsideACharacter) {
  EXPECT_EQ(Cut("aäb", 4), "aäb");
  EXPECT_EQ(Cut("aäb", 3), "aä");
  EXPECT_EQ(Cut("aäb", 2), "a");
  EXPECT_EQ(Cut("\x80\x80", 1), "");
  EXPECT_EQ(Cut("", 0), "");
}

TEST(Utf8, CharactersStayAsTheyAre) {
  for (const std::string text : {"", "plain\n", "äöü → ✓", "\xF0\x9F\x98\x80", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(Utf8(text), text);
  }
  EXPECT_EQ(Utf8(std::string(1, '\0')), std::string(1, '\0'));
}

// One for each byte, as Go's JSON decoder does it.
TEST(Utf8, OtherBytesAreReplaced) {
  EXPECT_EQ(Utf8("a\xFF"
                 "b"),
            "a\uFFFDb");
  EXPECT_EQ(Utf8("\xC3"), "\uFFFD") << "a character that ends too early";
  EXPECT_EQ(Utf8("\xE2\x82"
                 "x"),
            "\uFFFD\uFFFDx")
      << "likewise";
  EXPECT_EQ(Utf8("\xC0\xAF"), "\uFFFD\uFFFD") << "longer than need be";
  EXPECT_EQ(Utf8("\xE0\x80\x80"), "\uFFFD\uFFFD\uFFFD") << "likewise";
  EXPECT_EQ(Utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "half of a pair";
  EXPECT_EQ(Utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "beyond the last";
}

}  // namespace
}  // namespace kupen
