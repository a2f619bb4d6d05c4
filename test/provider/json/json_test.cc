#include "provider/json/json.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

rapidjson::Document MustParse(absl::string_view text) {
  absl::StatusOr<rapidjson::Document> document = Parse(text);
  EXPECT_TRUE(document.ok()) << document.status();
  return std::move(document).value();
}

TEST(Parse, NamesLineAndColumnOfAnError) {
  const absl::Status status = Parse("{\n  \"name\": oops\n}").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("line 2, column 11"));
}

TEST(Parse, SurvivesDeepNesting) {
  EXPECT_FALSE(Parse(std::string(1'000'000, '[')).ok());
  EXPECT_FALSE(Parse(std::string(1'000'000, '[') + std::string(1'000'000, ']')).ok());
}

TEST(Parse, WhatItGivesCanBeWritten) {
  const std::string deep = std::string(500, '[') + std::string(500, ']');
  EXPECT_EQ(Write(MustParse(deep)), deep);
  EXPECT_FALSE(Parse("{\"a\":" + deep + "}").ok());
}

TEST(Parse, RefusesNumbersThatAreTooLarge) {
  for (const char* number : {"1e400", "1844674407371e300", "-1844674407371e300"}) EXPECT_FALSE(Parse(number).ok()) << number;
  EXPECT_FALSE(Parse(R"({"a":[{"b":1844674407371e300}]})").ok());
  EXPECT_TRUE(Parse("1.7e308").ok());
}

TEST(Parse, ZeroIsZero) {
  for (const char* number : {"0", "0.0", "0e300", "0e-324", "0.000e99"}) EXPECT_EQ(MustParse(number).GetDouble(), 0) << number;
}

TEST(Parse, RefusesTrailingTextAndEmptyInput) {
  EXPECT_FALSE(Parse("{} {}").ok());
  EXPECT_FALSE(Parse("").ok());
}

TEST(Find, FollowsMembers) {
  const rapidjson::Document root = MustParse(R"({"status":{"phase":"Running","ready":true}})");
  ASSERT_NE(Find(root, {"status", "ready"}), nullptr);
  EXPECT_TRUE(Find(root, {"status", "ready"})->GetBool());
  EXPECT_EQ(Find(root, {}), &root);
}

TEST(Find, GivesNullWhereThePathEnds) {
  const rapidjson::Document root = MustParse(R"({"status":{"phase":"Running"}})");
  EXPECT_EQ(Find(root, {"spec", "name"}), nullptr);
  EXPECT_EQ(Find(root, {"status", "phase", "deeper"}), nullptr) << "a string has no members";
}

TEST(String, IsEmptyForWhatIsMissingOrNoString) {
  const rapidjson::Document root = MustParse(R"({"name":"a\u0000b","count":3,"none":null})");
  EXPECT_EQ(String(root, {"name"}), absl::string_view("a\0b", 3)) << "length counts, not the first NUL";
  EXPECT_EQ(String(root, {"count"}), "");
  EXPECT_EQ(String(root, {"none"}), "");
  EXPECT_EQ(String(root, {"missing"}), "");
}

TEST(Array, CanAlwaysBeIterated) {
  const rapidjson::Document root = MustParse(R"({"items":["a","b"],"not":{}})");
  std::vector<absl::string_view> seen;
  for (const rapidjson::Value& item : Array(root, {"items"})) seen.push_back(String(item));
  EXPECT_THAT(seen, ElementsAre("a", "b"));
  EXPECT_TRUE(Array(root, {"not"}).Empty());
  EXPECT_TRUE(Array(root, {"missing"}).Empty());
}

TEST(IsEmpty, IsForNullAndForWhatHasNoLength) {
  for (const char* text : {"null", R"("")", "[]", "{}"}) EXPECT_TRUE(IsEmpty(MustParse(text))) << text;
  for (const char* text : {"0", "false", R"(" ")", "[null]", R"({"a":null})"}) EXPECT_FALSE(IsEmpty(MustParse(text))) << text;
}

TEST(Write, GivesBackWhatWasParsed) {
  const std::string text = R"({"b":1,"a":[true,null,"ü",12345678901234567890]})";
  EXPECT_EQ(Write(MustParse(text)), text);
}

}  // namespace
}  // namespace kupen::json
