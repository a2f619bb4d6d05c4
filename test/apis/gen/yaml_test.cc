#include "apis/gen/yaml.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace kupen::apis {
namespace {

TEST(Yaml, KeepsTheOrderOfMembers) {
  Yaml map = Yaml::Map({{"zebra", 1}, {"ant", true}});
  map.Set("bee", Yaml::List({"x", Yaml::Map({{"a", 1}, {"b", 2}})}));
  EXPECT_EQ(Write(map), "zebra: 1\nant: true\nbee:\n- x\n- a: 1\n  b: 2\n");
}

TEST(Yaml, ReplacesAMemberInItsPlace) {
  Yaml map = Yaml::Map({{"a", 1}, {"b", 2}});
  map.Set("a", 3);
  EXPECT_EQ(Write(map), "a: 3\nb: 2\n");
}

TEST(Yaml, QuotesWhatWouldReadAsSomethingElse) {
  const Yaml list = Yaml::List({"plain", "True", "on", "1.5", "*", "", "a: b", "say \"hi\"", "-dash", "back\\slash"});
  EXPECT_EQ(Write(list),
            "- plain\n- \"True\"\n- \"on\"\n- \"1.5\"\n- \"*\"\n- \"\"\n- \"a: b\"\n- \"say \\\"hi\\\"\"\n- \"-dash\"\n"
            "- \"back\\\\slash\"\n");
}

TEST(Yaml, FoldsLongTextAtSpaces) {
  std::string text = "end";
  for (int i = 0; i < 40; ++i) text = absl::StrCat("word ", text);
  const std::string folded = Write(Yaml::Map({{"description", text}}));
  std::vector<std::string> lines = absl::StrSplit(folded, '\n', absl::SkipEmpty());
  EXPECT_EQ(lines.front(), "description: >-");
  lines.erase(lines.begin());
  for (std::string& line : lines) {
    EXPECT_LE(line.size(), 128U);
    EXPECT_EQ(line.substr(0, 2), "  ");
    line.erase(0, 2);
  }
  EXPECT_EQ(absl::StrJoin(lines, " "), text);
}

TEST(Yaml, WritesEmptyMapsAndLists) {
  EXPECT_EQ(Write(Yaml::Map({{"status", Yaml::Map()}, {"items", Yaml::List()}})), "status: {}\nitems: []\n");
}

}  // namespace
}  // namespace kupen::apis
