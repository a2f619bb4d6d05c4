// How the real services refuse, and that the error table reads each of them right.
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/clock.h"
#include "provider/json/json.h"
#include "provider/openstack/error.h"
#include "test/e2e/openstack/real_cloud.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

using absl::StatusCode;
using openstack::Disposition;
using openstack::DispositionName;
using openstack::DispositionOf;
using openstack::HttpTransports;
using openstack::ServiceRequest;
using openstack::Session;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

struct Expected {
  StatusCode code;
  Disposition disposition;
  // The whole message, as a regular expression.
  std::string message;
};

class RealRefusals : public RealOpenStack {
 protected:
  static void Expect(Session& session, const ServiceRequest& request, const Expected& expected) {
    const absl::Status status = session.Send(request, {}).status();
    EXPECT_EQ(status.code(), expected.code) << status;
    EXPECT_EQ(DispositionName(DispositionOf(status)), DispositionName(expected.disposition)) << status;
    EXPECT_THAT(std::string(status.message()), MatchesRegex(expected.message));
    EXPECT_THAT(openstack::RequestIdOf(status), MatchesRegex("req-[0-9a-f-]+")) << status;
  }

  static ServiceRequest Post(const std::string& service, const std::string& path, const std::string& body) {
    return {.service = service, .method = "POST", .path = path, .body = body};
  }

  static std::string IdOf(Session& session, const std::string& service, const std::string& path, const std::string& list_key) {
    std::string id;
    const absl::Status listed = openstack::Rest(session, {.service = service, .path = path, .list_key = list_key})
                                    .List({},
                                          [&id](const rapidjson::Value& item) {
                                            id = std::string(json::String(item, {"id"}));
                                            return absl::OkStatus();
                                          },
                                          {});
    EXPECT_TRUE(listed.ok()) << listed;
    return id;
  }
};

TEST_F(RealRefusals, InvalidValues) {
  Expect(demo_, Post("network", "/networks", R"({"network": {"mtu": "wide"}})"),
         {StatusCode::kInvalidArgument, Disposition::kTerminal,
          "neutron: 400 Invalid input for operation: 'wide' is not an integer\\."});
  Expect(demo_, Post("network", "/networks", R"({"network": {"colour": "red"}})"),
         {StatusCode::kInvalidArgument, Disposition::kTerminal, "neutron: 400 .*[Uu]nrecognized attribute.*colour.*"});
  Expect(demo_, Post("compute", "/servers", R"({"server": {"name": "x", "flavorRef": "nope", "networks": "none"}})"),
         {StatusCode::kInvalidArgument, Disposition::kTerminal, "nova: 400 .*"});
  Expect(demo_, Post("compute", "/os-keypairs", R"({"keypair": {"name": "x", "public_key": "no key"}})"),
         {StatusCode::kInvalidArgument, Disposition::kTerminal, "nova: 400 Keypair data is invalid: .*"});
  Expect(demo_, Post("image", "/images", R"({"name": "x", "disk_format": "floppy"})"),
         {StatusCode::kInvalidArgument, Disposition::kTerminal, "glance: 400 .*floppy.*"});
  Expect(demo_, Post("block-storage", "/volumes", R"({"volume": {"size": -1}})"),
         {StatusCode::kInvalidArgument, Disposition::kTerminal, "cinder: 400 .*"});
  Expect(demo_, Post("load-balancer", "/lbaas/loadbalancers", R"({"loadbalancer": {"vip_subnet_id": "nope"}})"),
         {StatusCode::kInvalidArgument, Disposition::kTerminal, "octavia: 400 .*vip_subnet_id.*nope.*"});
  Expect(admin_, Post("identity", "/projects", R"({"project": {"name": 7}})"),
         {StatusCode::kInvalidArgument, Disposition::kTerminal, "keystone: 400 .*"});
}

TEST_F(RealRefusals, NotThere) {
  const std::string id = "00000000-0000-4000-8000-000000000000";
  const Expected expected = {StatusCode::kNotFound, Disposition::kRetry, ".*: 404 .+"};
  Expect(demo_, {.service = "network", .path = "/networks/" + id}, expected);
  Expect(demo_, {.service = "compute", .path = "/servers/" + id}, expected);
  Expect(demo_, {.service = "image", .path = "/images/" + id}, expected);
  Expect(demo_, {.service = "block-storage", .path = "/volumes/" + id}, expected);
  Expect(demo_, {.service = "load-balancer", .path = "/lbaas/loadbalancers/" + id}, expected);
  Expect(admin_, {.service = "identity", .path = "/projects/" + id}, expected);
  Expect(admin_, {.service = "placement", .path = "/resource_providers/" + id}, expected);
}

TEST_F(RealRefusals, NotAllowed) {
  Expect(demo_, Post("identity", "/projects", R"({"project": {"name": "x"}})"),
         {StatusCode::kPermissionDenied, Disposition::kRetry,
          "keystone: 403 You are not authorized to perform the requested action: identity:create_project\\."});
  Expect(demo_, Post("compute", "/flavors", R"({"flavor": {"name": "x", "ram": 1, "vcpus": 1, "disk": 1}})"),
         {StatusCode::kPermissionDenied, Disposition::kRetry, "nova: 403 Policy doesn't allow .*"});
  Expect(demo_, Post("network", "/networks", R"({"network": {"provider:network_type": "vlan"}})"),
         {StatusCode::kPermissionDenied, Disposition::kRetry, "neutron: 403 .*disallowed by policy.*"});
}

TEST_F(RealRefusals, TakenNames) {
  Expect(admin_, Post("identity", "/projects", R"({"project": {"name": "demo", "domain_id": "default"}})"),
         {StatusCode::kAlreadyExists, Disposition::kTerminal, "keystone: 409 .*demo.*"});
  Expect(admin_, Post("compute", "/flavors", R"({"flavor": {"name": "m1.tiny", "ram": 1, "vcpus": 1, "disk": 1}})"),
         {StatusCode::kAlreadyExists, Disposition::kTerminal, "nova: 409 Flavor with name m1.tiny already exists\\."});
  const std::string image = IdOf(demo_, "image", "/images", "images");
  Expect(
      demo_, Post("image", "/images", absl::StrCat(R"({"id": ")", image, R"("})")),
      {StatusCode::kAlreadyExists, Disposition::kTerminal, absl::StrCat("glance: 409 Image ID ", image, " already exists!")});
}

TEST_F(RealRefusals, ObjectInUse) {
  // The network "private" has a router's port.
  std::string id;
  ASSERT_OK(openstack::Rest(demo_, {.service = "network", .path = "/networks", .list_key = "networks"})
                .List({{"name", "private"}},
                      [&id](const rapidjson::Value& item) {
                        id = std::string(json::String(item, {"id"}));
                        return absl::OkStatus();
                      },
                      {}));
  Expect(demo_, {.service = "network", .method = "DELETE", .path = "/networks/" + id},
         {StatusCode::kFailedPrecondition, Disposition::kWait,
          absl::StrCat("neutron: 409 Unable to complete operation on network ", id,
                       "\\. There are one or more ports still in use.*")});
}

TEST_F(RealRefusals, MicroversionThatIsNotServed) {
  Expect(
      demo_, {.service = "compute", .path = "/servers", .headers = {{"OpenStack-API-Version", "compute 2.9999"}}},
      {StatusCode::kFailedPrecondition, Disposition::kTerminal, "nova: 406 Version 2.9999 is not supported by the API\\..*"});
}

// A project in which nothing is left, with demo as member.
class RealQuotas : public RealRefusals {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const openstack::Token> token, demo_.GetToken({}));
    ASSERT_OK_AND_ASSIGN(
        const http::Response created,
        admin_.Send(Post("identity", "/projects", absl::StrCat(R"({"project": {"name": ")", ScratchName("full"), R"("}})")),
                    {}));
    project_ = std::string(json::String(Json(created.body), {"project", "id"}));
    CleanUp(admin_, "identity", "/projects/" + project_);

    ASSERT_OK_AND_ASSIGN(const http::Response found,
                         admin_.Send({.service = "identity", .path = "/roles", .query = {{"name", "member"}}}, {}));
    const rapidjson::Document roles = Json(found.body);
    const std::string role(json::String(json::Array(roles, {"roles"})[0], {"id"}));
    ASSERT_OK(admin_
                  .Send({.service = "identity",
                         .method = "PUT",
                         .path = absl::StrCat("/projects/", project_, "/users/", token->user_id, "/roles/", role)},
                        {})
                  .status());
    openstack::Cloud cloud = RealCloud("demo");
    cloud.scope.project = {.id = project_};
    full_ = std::make_unique<Session>(cloud, HttpTransports(), SystemClock());
    subnet_ = MakeSubnet();
    SetQuota("compute", "/os-quota-sets/", R"({"quota_set": {"instances": 0}})");
    SetQuota("block-storage", "/os-quota-sets/", R"({"quota_set": {"volumes": 0}})");
    SetQuota("network", "/quotas/", R"({"quota": {"network": 0}})");
    SetQuota("load-balancer", "/lbaas/quotas/", R"({"quota": {"load_balancer": 0}})");
  }

  // Gives the id of a subnet in the project, made before its quota is zero.
  std::string MakeSubnet() {
    const absl::StatusOr<http::Response> network =
        full_->Send(Post("network", "/networks", R"({"network": {"name": "full"}})"), {});
    EXPECT_TRUE(network.ok()) << network.status();
    if (!network.ok()) return "";
    const std::string id(json::String(Json(network->body), {"network", "id"}));
    CleanUp(admin_, "network", "/networks/" + id);
    const absl::StatusOr<http::Response> subnet =
        full_->Send(Post("network", "/subnets",
                         absl::StrCat(R"({"subnet": {"cidr": "10.99.0.0/24", "ip_version": 4, "network_id": ")", id, R"("}})")),
                    {});
    EXPECT_TRUE(subnet.ok()) << subnet.status();
    // Neutron makes one for each project, and leaves it behind.
    CleanUp(admin_, "network", "/security-groups/" + IdOf(*full_, "network", "/security-groups", "security_groups"));
    return subnet.ok() ? std::string(json::String(Json(subnet->body), {"subnet", "id"})) : "";
  }

  void SetQuota(const std::string& service, const std::string& path, const std::string& body) {
    ASSERT_OK(admin_.Send({.service = service, .method = "PUT", .path = path + project_, .body = body}, {}).status());
  }

  std::string project_;
  std::string subnet_;
  std::unique_ptr<Session> full_;
};

TEST_F(RealQuotas, EachServicesWords) {
  const auto quota = [](const std::string& message) {
    return Expected{StatusCode::kResourceExhausted, Disposition::kQuota, message};
  };
  const std::string image = IdOf(demo_, "image", "/images", "images");
  const std::string flavor = IdOf(demo_, "compute", "/flavors", "flavors");
  Expect(*full_, Post("network", "/networks", R"({"network": {}})"),
         quota("neutron: 409 Quota exceeded for resources: \\['network'\\]\\."));
  ServiceRequest server = Post("compute", "/servers",
                               absl::StrCat(R"({"server": {"name": "x", "networks": "none", "flavorRef": ")", flavor,
                                            R"(", "imageRef": ")", image, R"("}})"));
  server.microversions = {{2, 60}, {2, 96}};
  Expect(*full_, server, quota("nova: 403 Quota exceeded for instances: Requested 1, but already used 0 of 0 instances"));
  Expect(*full_, Post("block-storage", "/volumes", R"({"volume": {"size": 1}})"),
         quota("cinder: 413 .*Maximum number of volumes allowed \\(0\\).*"));
  Expect(
      *full_,
      Post("load-balancer", "/lbaas/loadbalancers", absl::StrCat(R"({"loadbalancer": {"vip_subnet_id": ")", subnet_, R"("}})")),
      quota("octavia: 403 Quota has been met for resources: Load Balancer"));

  std::string properties;
  for (int i = 0; i < 200; ++i) absl::StrAppend(&properties, ", \"p", i, "\": \"x\"");
  Expect(*full_, Post("image", "/images", absl::StrCat(R"({"name": "x")", properties, "}")),
         quota("glance: 413 .*properties.*"));
}

TEST_F(RealRefusals, SecretsOfARefusedRequestStayOut) {
  ServiceRequest request = Post("compute", "/servers", R"({"server": {"name": "x", "adminPass": ["password-marker"]}})");
  request.secrets = {"password-marker"};
  const absl::Status status = demo_.Send(request, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(status.ToString(), Not(HasSubstr("marker")));
}

}  // namespace
}  // namespace kupen::test
