#include "provider/schema/references.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/provider/schema/parsed.h"

namespace kupen::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Paths(const std::vector<ReferenceUse>& uses) {
  std::vector<std::string> paths;
  paths.reserve(uses.size());
  for (const ReferenceUse& use : uses) paths.push_back(use.path);
  return paths;
}

TEST(FindReferences, FindsThemAtAnyDepth) {
  rapidjson::Document parameters = Parsed(R"({
      "flavorName": "m1.tiny", "imageRef": {"name": "cirros"},
      "networks": [{"networkID": "5f1c"}, {"networkSelector": {"matchLabels": {"tier": "web"}}}],
      "bootVolume": {"volumeName": "data"}})");
  const std::vector<ReferenceUse> uses = FindReferences(PlanOf("compute.VirtualMachine").parameters, parameters);
  EXPECT_THAT(Paths(uses), ElementsAre("bootVolume.volumeName", "networks[1].networkSelector", "flavorName", "imageRef"));
  EXPECT_EQ(uses[2].field->options.refers_to().kind(), "compute.Flavor");
  EXPECT_EQ(json::String(*uses[3].value, {"name"}), "cirros");
}

TEST(FindReferences, IdsNeedNoResolving) {
  rapidjson::Document parameters = Parsed(R"({"flavorID": "1", "networks": [{"networkID": "5f1c"}]})");
  EXPECT_THAT(FindReferences(PlanOf("compute.VirtualMachine").parameters, parameters), IsEmpty());
}

TEST(SetResolved, PutsTheIdBesideTheReference) {
  rapidjson::Document parameters = Parsed(R"({"networks": [{"networkName": "blue"}]})");
  const std::vector<ReferenceUse> uses = FindReferences(PlanOf("compute.VirtualMachine").parameters, parameters);
  ASSERT_EQ(uses.size(), 1u);
  SetResolved(uses[0], {"5f1c"}, parameters.GetAllocator());
  SetResolved(uses[0], {"6a2d"}, parameters.GetAllocator());
  EXPECT_EQ(json::Write(parameters), R"({"networks":[{"networkName":"blue","networkID":"6a2d"}]})");
}

// An object's members move when it loses one or gets more of them than it has room for.
TEST(SetResolved, AllOneAfterTheOtherReachTheirPlace) {
  rapidjson::Document parameters =
      Parsed(R"({"flavorID": "old", "flavorName": "tiny", "bootVolume": {"volumeTypeName": "fast"}})");
  for (const ReferenceUse& use : FindReferences(PlanOf("compute.VirtualMachine").parameters, parameters))
    SetResolved(use, {"id of " + use.path}, parameters.GetAllocator());
  EXPECT_EQ(json::String(parameters, {"flavorID"}), "id of flavorName");
  EXPECT_EQ(json::String(parameters, {"bootVolume", "volumeTypeID"}), "id of bootVolume.volumeTypeName");
}

TEST(SetResolved, AddsToAListOfIds) {
  rapidjson::Document parameters = Parsed(R"({"securityGroupIDs": ["a"], "securityGroupNames": ["web", "ssh"]})");
  const std::vector<ReferenceUse> uses = FindReferences(PlanOf("compute.VirtualMachine").parameters, parameters);
  ASSERT_EQ(uses.size(), 1u);
  SetResolved(uses[0], {"b", "c"}, parameters.GetAllocator());
  EXPECT_EQ(json::Write(parameters), R"({"securityGroupIDs":["a","b","c"],"securityGroupNames":["web","ssh"]})");
}

}  // namespace
}  // namespace kupen::schema
