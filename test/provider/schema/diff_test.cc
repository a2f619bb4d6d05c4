#include "provider/schema/diff.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "test/provider/schema/parsed.h"

namespace kupen::schema {
namespace {

// The texts of all changes, one after the other.
std::string Changes(const std::string& kind, absl::string_view parameters_text, absl::string_view object_text) {
  rapidjson::Document parameters = Parsed(parameters_text);
  const rapidjson::Document object = Parsed(object_text);
  std::string texts;
  for (const Change& change : Diff(PlanOf(kind).parameters, parameters, object, parameters.GetAllocator())) {
    absl::StrAppend(&texts, texts.empty() ? "" : "; ", change.text);
  }
  return texts;
}

struct Case {
  const char* reason;
  const char* kind;
  const char* parameters;
  const char* object;
  const char* changes;
};

class DiffTest : public testing::TestWithParam<Case> {};

TEST_P(DiffTest, FindsWhatDiffers) {
  const Case& row = GetParam();
  EXPECT_EQ(Changes(row.kind, row.parameters, row.object), row.changes) << row.reason;
}

constexpr Case kCases[] = {
    {"equal values are no change", "network.Network", R"({"mtu":1500,"shared":false})", R"({"mtu":1500,"shared":false})", ""},
    {"a changed number", "network.Network", R"({"mtu":9000})", R"({"mtu":1500})", "mtu: 1500 → 9000"},
    {"what the user does not set is not managed", "network.Network", R"({})", R"({"mtu":1500,"shared":true})", ""},
    {"what the service does not show can't differ", "network.Network", R"({"mtu":9000})", R"({})", ""},
    {"null in the cloud is a value", "network.Network", R"({"dnsDomain":"a."})", R"({"dns_domain":null})",
     "dnsDomain: null → a."},
    {"empty is the same as null", "network.Subnet", R"({"gatewayIP":""})", R"({"gateway_ip":null})", ""},
    {"an empty text clears where the kind says so", "network.Subnet", R"({"gatewayIP":""})", R"({"gateway_ip":"10.0.0.1"})",
     "gatewayIP: 10.0.0.1 → null"},
    {"and means nothing elsewhere", "network.Network", R"({"description":""})", R"({"description":"old"})", ""},
    {"an emptied list clears where the kind says so", "network.Network", R"({"tags":[]})", R"({"tags":["a"]})",
     R"(tags: ["a"] → [])"},
    {"the order of tags means nothing", "network.Network", R"({"tags":["a","b"]})", R"({"tags":["b","a"]})", ""},
    {"but twice is not once", "network.Network", R"({"tags":["a","a"]})", R"({"tags":["a","b"]})",
     R"(tags: ["a","b"] → ["a","a"])"},
    {"the order of name servers does", "network.Subnet", R"({"dnsNameservers":["10.0.0.1","10.0.0.2"]})",
     R"({"dns_nameservers":["10.0.0.2","10.0.0.1"]})", R"(dnsNameservers: ["10.0.0.2","10.0.0.1"] → ["10.0.0.1","10.0.0.2"])"},
    {"an id in capitals is the same id", "network.Subnet", R"({"networkID":"5F1C0000-0000-4000-8000-000000000000"})",
     R"({"network_id":"5f1c0000-0000-4000-8000-000000000000"})", ""},
    {"an address written in another way is the same", "network.Subnet", R"({"gatewayIP":"2001:db8:0:0::1"})",
     R"({"gateway_ip":"2001:db8::1"})", ""},
    {"and so is a range", "network.Subnet", R"({"cidr":"2001:DB8::/64"})", R"({"cidr":"2001:db8::/64"})", ""},
    {"another range is not", "network.Subnet", R"({"cidr":"10.0.0.0/8"})", R"({"cidr":"10.0.0.0/16"})",
     "cidr: 10.0.0.0/16 → 10.0.0.0/8"},
    {"members of an item that the user did not set don't count", "network.Subnet",
     R"({"allocationPools":[{"start":"10.0.0.2","end":"10.0.0.9"}]})",
     R"({"allocation_pools":[{"start":"10.0.0.2","end":"10.0.0.9","first_ip":"10.0.0.2"}]})", ""},
    {"a map is compared whole", "compute.VirtualMachine", R"({"metadata":{"a":"1"}})", R"({"metadata":{"a":"1","b":"2"}})",
     R"(metadata: {"a":"1","b":"2"} → {"a":"1"})"},
};

INSTANTIATE_TEST_SUITE_P(Rows, DiffTest, testing::ValuesIn(kCases));

TEST(Diff, GivesTheValueAsTheServiceTakesIt) {
  rapidjson::Document parameters = Parsed(R"({"gatewayIP":""})");
  const rapidjson::Document object = Parsed(R"({"gateway_ip":"10.0.0.1"})");
  const std::vector<Change> changes = Diff(PlanOf("network.Subnet").parameters, parameters, object, parameters.GetAllocator());
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].field->wire.front(), "gateway_ip");
  EXPECT_TRUE(changes[0].wanted.IsNull());
}

TEST(Diff, LongValuesAreCutInTheText) {
  const std::string text = Changes("network.Network", absl::StrCat(R"({"description":")", std::string(150, 'x'), R"("})"),
                                   R"({"description":"short"})");
  EXPECT_LT(text.size(), 150u);
}

TEST(Diff, SensitiveValuesAreNeverShown) {
  FieldPlan secret;
  secret.json = "password";
  secret.wire = {"password"};
  secret.options.set_sensitive(true);
  const MessagePlan plan{.fields = {secret}};
  rapidjson::Document parameters = Parsed(R"({"password":"new-s3cret"})");
  const rapidjson::Document object = Parsed(R"({"password":"old-s3cret"})");
  const std::vector<Change> changes = Diff(plan, parameters, object, parameters.GetAllocator());
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].text, "password: changed");
}

}  // namespace
}  // namespace kupen::schema
