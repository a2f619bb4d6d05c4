#include "provider/schema/codec.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "test/provider/schema/parsed.h"

namespace kupen::schema {
namespace {

std::string Created(const std::string& kind, absl::string_view spec_text) {
  rapidjson::Document spec = Parsed(spec_text);
  Allocator& allocator = spec.GetAllocator();
  const MessagePlan& plan = PlanOf(kind).parameters;
  return json::Write(EncodeForCreate(plan, ParametersForCreate(plan, spec, allocator), allocator));
}

std::string Seen(const std::string& kind, absl::string_view object_text) {
  rapidjson::Document object = Parsed(object_text);
  return json::Write(Decode(PlanOf(kind).observation, object, object.GetAllocator()));
}

TEST(EncodeForCreate, UsesTheServicesNames) {
  EXPECT_EQ(Created("network.Network", R"({"forProvider":{"networkType":"vlan","external":true,"adminStateUp":false}})"),
            R"({"admin_state_up":false,"router:external":true,"provider:network_type":"vlan"})");
}

TEST(EncodeForCreate, FalseAndZeroAreValuesButNullAndEmptyAreNot) {
  EXPECT_EQ(Created("network.Network", R"({"forProvider":{"shared":false,"description":"","mtu":null}})"),
            R"({"shared":false})");
}

TEST(EncodeForCreate, InitProviderFillsOnlyWhatForProviderLeavesOut) {
  EXPECT_EQ(Created("network.Network", R"({"forProvider":{"mtu":1500},"initProvider":{"mtu":9000,"shared":true}})"),
            R"({"shared":true,"mtu":1500})");
}

TEST(EncodeForCreate, DefaultsComeLast) {
  EXPECT_EQ(Created("network.Subnet", R"({"forProvider":{"cidr":"10.0.0.0/8"}})"), R"({"cidr":"10.0.0.0/8","ip_version":4})");
  EXPECT_EQ(Created("network.Subnet", R"({"forProvider":{},"initProvider":{"ipVersion":6}})"), R"({"ip_version":6})");
}

TEST(EncodeForCreate, AnEmptyTextThatClearsIsNull) {
  EXPECT_EQ(Created("network.Subnet", R"({"forProvider":{"gatewayIP":"","ipVersion":4}})"),
            R"({"ip_version":4,"gateway_ip":null})");
}

TEST(EncodeForCreate, NestedMessagesAreEncodedToo) {
  EXPECT_EQ(
      Created("network.Subnet", R"({"forProvider":{"ipVersion":4,"allocationPools":[{"start":"10.0.0.2","end":"10.0.0.9"}]}})"),
      R"({"ip_version":4,"allocation_pools":[{"start":"10.0.0.2","end":"10.0.0.9"}]})");
}

TEST(EncodeForCreate, LeavesOutWhatIsSentAfterwards) {
  EXPECT_EQ(Created("network.Network", R"({"forProvider":{"tags":["a"]}})"), "{}") << "Neutron takes no tags at POST";
  EXPECT_EQ(Created("compute.VirtualMachine", R"({"forProvider":{"tags":["a"]}})"), R"({"tags":["a"]})") << "Nova does";
}

TEST(EncodeForCreate, IgnoresMembersThatNobodyKnows) {
  EXPECT_EQ(Created("network.Network", R"({"forProvider":{"colour":"red"}})"), "{}");
}

TEST(ParametersForCreate, AReferenceInForProviderHidesAnIdInInitProvider) {
  rapidjson::Document spec = Parsed(R"({"forProvider":{"networkRef":{"name":"blue"}},"initProvider":{"networkID":"5f1c"}})");
  const rapidjson::Value parameters = ParametersForCreate(PlanOf("network.Subnet").parameters, spec, spec.GetAllocator());
  EXPECT_NE(json::Find(parameters, {"networkRef"}), nullptr);
  EXPECT_EQ(json::Find(parameters, {"networkID"}), nullptr);
}

TEST(Decode, UsesTheUsersNamesInTheOrderOfTheProto) {
  EXPECT_EQ(Seen("network.Network", R"({"router:external":false,"mtu":1500,"status":"ACTIVE","unknown":1})"),
            R"({"status":"ACTIVE","mtu":1500,"external":false})");
}

TEST(Decode, SortsWhatHasNoOrder) {
  EXPECT_EQ(Seen("network.Network", R"({"subnets":["b","a"]})"), R"({"subnetIDs":["a","b"]})");
}

TEST(Decode, CutsWhatIsTooLongForAStatus) {
  std::string subnets;
  for (int i = 0; i < 40; ++i) absl::StrAppend(&subnets, i == 0 ? "" : ",", "\"s-", i, "\"");
  const std::string seen =
      Seen("network.Network", absl::StrCat(R"({"name":")", std::string(2000, 'x'), R"(","subnets":[)", subnets, "]}"));
  const rapidjson::Document shown = *json::Parse(seen);
  EXPECT_EQ(shown["name"].GetStringLength(), 1024U);
  EXPECT_EQ(shown["subnetIDs"].Size(), 32U);
}

TEST(Decode, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(Seen("network.Network", "{\"name\":\"a\xFF\"}"), "{\"name\":\"a\uFFFD\"}");
}

TEST(Decode, ASetHasNothingTwiceAndAMapItsKeysInOrder) {
  EXPECT_EQ(Seen("network.Network", R"({"subnets":["b","a","b"]})"), R"({"subnetIDs":["a","b"]})");
  EXPECT_EQ(Seen("compute.Flavor", R"({"extra_specs":{"b":"2","a":"1"}})"), R"({"extraSpecs":{"a":"1","b":"2"}})");
}

TEST(Decode, LeavesOutWhatIsNotOfItsType) {
  EXPECT_EQ(Seen("network.Network", R"({"name":7,"mtu":"many","shared":"yes","subnets":{"a":1},"status":"UP"})"),
            R"({"status":"UP"})");
}

TEST(Decode, LeavesOutNumbersThatAreNoIntegers) {
  for (const char* number : {"1500.5", "1e3", "18446744073709551615", "1e300"}) {
    EXPECT_EQ(Seen("network.Network", absl::StrCat(R"({"mtu":)", number, "}")), "{}") << number;
  }
  EXPECT_EQ(Seen("network.Network", R"({"mtu":1500})"), R"({"mtu":1500})");
}

TEST(Decode, LeavesOutNullsAndEmptiness) {
  EXPECT_EQ(Seen("network.Network", R"({"name":"","subnets":[],"mtu":null,"shared":false})"), R"({"shared":false})");
}

TEST(Decode, FollowsPaths) {
  EXPECT_EQ(Seen("compute.VirtualMachine", R"({"flavor":{"original_name":"m1.tiny"},"image":"","fault":null})"),
            R"({"flavorName":"m1.tiny"})")
      << "Nova says image: \"\" for a machine that was started from a volume";
}

}  // namespace
}  // namespace kupen::schema
