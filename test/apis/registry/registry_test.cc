#include "apis/registry/registry.h"

#include <string>
#include <vector>

#include "apis/model/references.h"
#include "apis/registry/descriptors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen::apis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

TEST(Registry, HasAllKindsByGroupAndName) {
  std::vector<std::string> kinds;
  for (const Kind& kind : Registry().all()) kinds.push_back(kind.plural + "." + kind.group + "/" + kind.version);
  EXPECT_THAT(kinds, IsSupersetOf({"keypairs.compute.m.kupenstack.io/v1alpha1", "networks.network.m.kupenstack.io/v1alpha1",
                                   "virtualmachines.compute.m.kupenstack.io/v1alpha1",
                                   "clusterproviderconfigs.m.kupenstack.io/v1alpha1"}));
}

TEST(Registry, KeepsWhatTheKindSays) {
  const Kind* image = Registry().Find("image.Image");
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(image->options.rest().update(), options::v1::JSON_PATCH);
  EXPECT_EQ(image->options.rest().identity().client_id().field(), "id");
  EXPECT_THAT(image->options.rest().state().ready(), ElementsAre("active"));
  EXPECT_TRUE(OptionsOf(*image->parameters->FindFieldByName("disk_format")).required());
  EXPECT_FALSE(Registry().Find("ProviderConfig")->managed());
}

TEST(Registry, KnowsTheMembersOfReferences) {
  const Kind* vm = Registry().Find("compute.VirtualMachine");
  ASSERT_NE(vm, nullptr);
  const auto members = [&](const char* field) { return ReferenceMembersOf(*vm->parameters->FindFieldByName(field))->all(); };
  EXPECT_THAT(members("flavor_id"), ElementsAre("flavorID", "flavorRef", "flavorSelector", "flavorName"));
  EXPECT_THAT(members("key_pair_name"), ElementsAre("keyPairName", "keyPairRef", "keyPairSelector"));
  EXPECT_THAT(members("security_group_ids"), ElementsAre("securityGroupIDs", "securityGroupNames"));
  EXPECT_EQ(ReferenceMembersOf(*vm->parameters->FindFieldByName("name")), std::nullopt);
}

TEST(Registry, DoesNotKnowWhatIsNot) { EXPECT_EQ(Registry().Find("compute.Nothing"), nullptr); }

TEST(Registry, CarriesNoComments) {
  EXPECT_EQ(EmbeddedDescriptors().find("A VirtualMachine is a server"), absl::string_view::npos);
}

}  // namespace
}  // namespace kupen::apis
