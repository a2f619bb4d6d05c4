#include "provider/managed/created_with.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apis/registry/registry.h"
#include "provider/json/json.h"

namespace kupen::managed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CreatedWithTest : public testing::Test {
 protected:
  std::string With(const std::string& parameters) const { return CreatedWith(plan_.parameters, *json::Parse(parameters), ""); }
  std::vector<std::string> Changed(const std::string& before, const std::string& parameters) const {
    std::vector<std::string> names;
    for (const schema::FieldPlan* field : ChangedSince(before, plan_.parameters, *json::Parse(parameters))) {
      names.push_back(field->json);
    }
    return names;
  }

  const schema::KindPlan plan_{*apis::Registry().Find("compute.VirtualMachine")};
};

TEST_F(CreatedWithTest, HasADigestForEachParameterThatCannotChange) {
  const std::string with = With(R"({"userData":"secret-marker","flavorID":"f-1","description":"changes in place"})");
  EXPECT_THAT(with, testing::MatchesRegex("flavorID=[0-9a-f]{8},userData=[0-9a-f]{8}"));
}

TEST_F(CreatedWithTest, KnowsTheRolesOfThatTime) {
  const std::string with = CreatedWith(plan_.parameters, *json::Parse(R"({"userData":"a"})"), "admin+member");
  EXPECT_EQ(RolesCreatedWith(with), "admin+member");
  EXPECT_THAT(Changed(with, R"({"userData":"a"})"), IsEmpty());
  EXPECT_EQ(RolesCreatedWith(With("{}")), "");
  EXPECT_EQ(RolesCreatedWith(""), "");
}

TEST_F(CreatedWithTest, IsNeverEmpty) {
  EXPECT_EQ(With("{}"), "none");
  EXPECT_THAT(Changed("none", "{}"), IsEmpty());
  EXPECT_THAT(Changed("none", R"({"userData":"new"})"), ElementsAre("userData"));
}

TEST_F(CreatedWithTest, NamesWhatIsOtherwiseNow) {
  const std::string with = With(R"({"userData":"a","networks":[{"networkID":"n-1"}]})");
  EXPECT_THAT(Changed(with, R"({"userData":"a","networks":[{"networkID":"n-1"}]})"), IsEmpty());
  EXPECT_THAT(Changed(with, R"({"userData":"b","networks":[{"networkID":"n-1"}]})"), ElementsAre("userData"));
  EXPECT_THAT(Changed(with, R"({"userData":"a","networks":[{"networkID":"n-2"}]})"), ElementsAre("networks"));
}

TEST_F(CreatedWithTest, WhatIsNoLongerSetIsNoLongerManaged) {
  EXPECT_THAT(Changed(With(R"({"userData":"a"})"), "{}"), IsEmpty());
}

TEST_F(CreatedWithTest, HowAnIdWasGivenMakesNoDifference) {
  const std::string with = With(R"({"networks":[{"networkRef":{"name":"blue"},"networkID":"n-1"}]})");
  EXPECT_THAT(Changed(with, R"({"networks":[{"networkID":"n-1"}]})"), IsEmpty());
}

TEST_F(CreatedWithTest, AnOrderWithoutMeaningMakesNoDifference) {
  const std::string with = With(R"({"securityGroupIDs":["a","b"]})");
  EXPECT_THAT(Changed(with, R"({"securityGroupIDs":["b","a"]})"), IsEmpty());
  EXPECT_THAT(Changed(with, R"({"securityGroupIDs":["b","c"]})"), ElementsAre("securityGroupIDs"));
}

TEST_F(CreatedWithTest, NothingIsKnownOfAnImportedObject) { EXPECT_THAT(Changed("", R"({"userData":"a"})"), IsEmpty()); }

TEST_F(CreatedWithTest, DoesNotShowWhatItRemembers) {
  EXPECT_THAT(With(R"({"userData":"secret-marker"})"), Not(HasSubstr("secret-marker")));
}

}  // namespace
}  // namespace kupen::managed
