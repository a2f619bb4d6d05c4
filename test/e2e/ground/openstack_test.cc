// Real OpenStack services, used by an ordinary member of an ordinary project.
#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "test/support/cluster.h"
#include "test/support/subprocess.h"

namespace kupen::test {
namespace {

using ::testing::IsSupersetOf;

absl::StatusOr<std::string> OpenStack(std::vector<std::string> arguments, absl::string_view cloud = "demo") {
  arguments.insert(arguments.begin(), {"openstack", absl::StrCat("--os-cloud=", cloud)});
  return RunProgram(arguments);
}

absl::StatusOr<rapidjson::Document> OpenStackJson(std::vector<std::string> arguments, absl::string_view cloud = "demo") {
  arguments.push_back("--format=json");
  const absl::StatusOr<std::string> text = OpenStack(std::move(arguments), cloud);
  if (!text.ok()) return text.status();
  return json::Parse(*text);
}

TEST(OpenStackGround, CatalogHasEveryService) {
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document catalog, OpenStackJson({"catalog", "list"}));
  std::set<std::string> types;
  for (const rapidjson::Value& service : json::Array(catalog)) types.emplace(json::String(service, {"Type"}));
  EXPECT_THAT(types, IsSupersetOf({"identity", "image", "placement", "compute", "network", "volumev3", "load-balancer"}));
}

TEST(OpenStackGround, HasThreeHypervisorsThatWork) {
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document services,
                       OpenStackJson({"compute", "service", "list", "--service=nova-compute"}, "admin"));
  int up = 0;
  for (const rapidjson::Value& service : json::Array(services)) up += json::String(service, {"State"}) == "up" ? 1 : 0;
  EXPECT_EQ(up, 3) << json::Write(services);
}

TEST(OpenStackGround, MemberIsNoAdmin) {
  const absl::Status refused = OpenStack({"hypervisor", "list"}).status();
  ASSERT_FALSE(refused.ok()) << "a project member must not see hypervisors";
  ASSERT_OK(Contains(refused.message(), "HTTP 403"));
}

TEST(OpenStackGround, MemberBootsAServer) {
  const std::string name = absl::StrCat("ground-", getpid());
  const absl::Cleanup remove = [&name] {
    const absl::Status deleted = OpenStack({"server", "delete", "--wait", name}).status();
    EXPECT_TRUE(deleted.ok()) << deleted;
  };
  ASSERT_OK_AND_ASSIGN(
      const rapidjson::Document server,
      OpenStackJson({"server", "create", "--flavor=m1.tiny", "--image=cirros", "--network=private", "--wait", name}));
  EXPECT_EQ(json::String(server, {"status"}), "ACTIVE");
  const rapidjson::Value* addresses = json::Find(server, {"addresses"});
  ASSERT_NE(addresses, nullptr);
  ASSERT_OK(Contains(json::Write(*addresses), "10.20."));
}

TEST(OpenStackGround, AccessLogNamesTheClient) {
  ASSERT_OK(OpenStack({"network", "list"}).status());
  ASSERT_OK_AND_ASSIGN(const std::string log,
                       RunProgram({"tail", "--lines=50", ClusterVariable("KUPENSTACK_LOGS") + "/access/neutron.log"}));
  ASSERT_OK(Contains(log, "openstacksdk"));
  ASSERT_OK(Contains(log, "/v2.0/networks"));
}

}  // namespace
}  // namespace kupen::test
