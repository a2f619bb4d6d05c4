// Logging in to a real Keystone, in every way that clouds.yaml knows, and what happens when that fails.
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/clock.h"
#include "provider/json/json.h"
#include "provider/openstack/clouds_yaml.h"
#include "provider/openstack/error.h"
#include "test/e2e/openstack/real_cloud.h"
#include "test/support/cluster.h"
#include "test/support/subprocess.h"

namespace kupen::test {
namespace {

using openstack::Cloud;
using openstack::HttpTransports;
using openstack::Session;
using openstack::Token;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

class RealLogin : public RealOpenStack {
 protected:
  // A cloud from clouds.yaml with these lines in its `auth`.
  static Cloud CloudWith(const std::vector<std::string>& auth) {
    std::string text = absl::StrCat("clouds:\n  c:\n    auth:\n      auth_url: ", RealCloud("demo").auth_url, "\n");
    for (const std::string& line : auth) absl::StrAppend(&text, "      ", line, "\n");
    absl::StatusOr<Cloud> cloud = openstack::ParseCloudsYaml(text);
    EXPECT_TRUE(cloud.ok()) << cloud.status();
    return cloud.ok() ? *std::move(cloud) : Cloud();
  }

  // OK if networks can be listed with it.
  static absl::Status Use(const Cloud& cloud) {
    Session session(cloud, HttpTransports(), SystemClock());
    return session.Send({.service = "network", .path = "/networks", .query = {{"limit", "1"}}}, {}).status();
  }

  // Does not need a service's opinion: Keystone itself says whether a token is good.
  static absl::Status AskKeystone(Session& session) {
    return session.Send({.service = "identity", .path = "/auth/projects"}, {}).status();
  }

  static absl::Status Revoke(Session& session) {
    ASSIGN_OR_RETURN(const std::shared_ptr<const Token> token, session.GetToken({}));
    return session
        .Send(
            {.service = "identity", .method = "DELETE", .path = "/auth/tokens", .headers = {{"X-Subject-Token", token->value}}},
            {})
        .status();
  }
};

TEST_F(RealLogin, PasswordOfAProjectMember) {
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const Token> token, demo_.GetToken({}));
  EXPECT_FALSE(token->project_id.empty());
  EXPECT_FALSE(token->user_id.empty());
  EXPECT_GT(token->life, absl::Minutes(1));
  EXPECT_THAT(token->catalog.ServiceTypes(),
              IsSupersetOf({"identity", "compute", "network", "image", "volumev3", "load-balancer", "placement"}));
}

TEST_F(RealLogin, AuthUrlWithoutAVersion) {
  const Cloud demo = RealCloud("demo");
  const std::string text = absl::StrCat("clouds:\n  c:\n    auth:\n      auth_url: ", absl::StripSuffix(demo.auth_url, "/v3"),
                                        "/\n      username: demo\n      password: demo\n      project_name: demo\n"
                                        "      default_domain_name: Default\n");
  ASSERT_OK_AND_ASSIGN(const Cloud cloud, openstack::ParseCloudsYaml(text));
  ASSERT_OK(Use(cloud));
}

TEST_F(RealLogin, ApplicationCredential) {
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const Token> token, demo_.GetToken({}));
  const std::string path = absl::StrCat("/users/", token->user_id, "/application_credentials");
  const std::string name = ScratchName("login");
  ASSERT_OK_AND_ASSIGN(const http::Response response,
                       demo_.Send({.service = "identity",
                                   .method = "POST",
                                   .path = path,
                                   .body = absl::StrCat(R"({"application_credential": {"name": ")", name, R"("}})")},
                                  {}));
  const rapidjson::Document body = Json(response.body);
  const std::string id(json::String(body, {"application_credential", "id"}));
  const std::string secret(json::String(body, {"application_credential", "secret"}));
  CleanUp(demo_, "identity", absl::StrCat(path, "/", id));

  const Cloud by_id = CloudWith({"application_credential_id: " + id, "application_credential_secret: " + secret});
  ASSERT_OK(Use(by_id));
  ASSERT_OK(Use(CloudWith({"application_credential_name: " + name, "application_credential_secret: " + secret, "username: demo",
                           "user_domain_name: Default"})));

  ASSERT_OK(demo_.Send({.service = "identity", .method = "DELETE", .path = absl::StrCat(path, "/", id)}, {}).status());
  const absl::Status gone = Use(by_id);
  EXPECT_FALSE(gone.ok());
  EXPECT_THAT(gone.ToString(), Not(HasSubstr(secret)));
}

TEST_F(RealLogin, TokenForAProject) {
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const Token> token, demo_.GetToken({}));
  ASSERT_OK(Use(CloudWith({"token: " + token->value, "project_id: " + token->project_id})));
  const absl::Status forged = Use(CloudWith({"token: " + token->value + "x", "project_id: " + token->project_id}));
  EXPECT_TRUE(absl::IsUnauthenticated(forged) || absl::IsNotFound(forged)) << forged;
  EXPECT_THAT(forged.ToString(), Not(HasSubstr(token->value)));
}

TEST_F(RealLogin, SystemScope) {
  const Cloud admin = RealCloud("admin");
  Session session(
      CloudWith({"username: admin", "user_domain_name: Default", "password: " + admin.credentials.secret, "system_scope: all"}),
      HttpTransports(), SystemClock());
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const Token> token, session.GetToken({}));
  EXPECT_EQ(token->project_id, "");
  ASSERT_OK(session.Send({.service = "identity", .path = "/projects"}, {}).status());
}

TEST_F(RealLogin, WrongPassword) {
  const absl::Status status = Use(CloudWith({"username: demo", "user_domain_name: Default", "password: wrong-password-marker",
                                             "project_name: demo", "project_domain_name: Default"}));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(status.message(), absl::StrCat("cannot log in to cloud \"c\" at ", RealCloud("demo").auth_url,
                                           ": keystone: 401 The request you have made requires authentication."));
  EXPECT_THAT(openstack::RequestIdOf(status), HasSubstr("req-"));
}

TEST_F(RealLogin, UnreachableKeystone) {
  Cloud cloud = RealCloud("demo");
  cloud.auth_url = "http://127.0.0.1:1/v3";
  const absl::Status status = Use(cloud);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_EQ(openstack::DispositionOf(status), openstack::Disposition::kRetry);
  EXPECT_THAT(std::string(status.message()), HasSubstr("127.0.0.1:1"));
}

TEST_F(RealLogin, SomethingElseThanKeystone) {
  Cloud cloud = RealCloud("demo");
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const Token> token, demo_.GetToken({}));
  ASSERT_OK_AND_ASSIGN(const std::string neutron, token->catalog.Endpoint("network", "", "public"));
  cloud.auth_url = absl::StrCat(absl::StripSuffix(neutron, "/"), "/v3");
  EXPECT_THAT(Use(cloud).ToString(), HasSubstr("cannot log in to cloud \"demo\" at http://"));
}

TEST_F(RealLogin, ProjectThatIsNotOurs) {
  Cloud cloud = RealCloud("demo");
  cloud.scope.project.name = "admin";
  EXPECT_EQ(Use(cloud).code(), absl::StatusCode::kUnauthenticated);
}

TEST_F(RealLogin, TokenRevokedMidwayIsRenewedOnce) {
  const CountedTransports counted;
  Session session(RealCloud("demo"), counted.transports(), SystemClock());
  ASSERT_OK(AskKeystone(session));
  ASSERT_OK(Revoke(session));
  ASSERT_OK(AskKeystone(session));
  EXPECT_EQ(*counted.logins, 2);
}

TEST_F(RealLogin, ManyThreadsWithARevokedTokenLogInOnce) {
  const CountedTransports counted;
  Session session(RealCloud("demo"), counted.transports(), SystemClock());
  ASSERT_OK(AskKeystone(session));
  ASSERT_OK(Revoke(session));
  std::vector<std::thread> threads;
  threads.reserve(32);
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&session] {
      const absl::Status status = AskKeystone(session);
      EXPECT_TRUE(status.ok()) << status;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(*counted.logins, 2);
}

TEST_F(RealLogin, AccessLogNamesUs) {
  ASSERT_OK(Use(RealCloud("demo")));
  ASSERT_OK_AND_ASSIGN(const std::string log,
                       RunProgram({"tail", "--lines=50", ClusterVariable("KUPENSTACK_LOGS") + "/access/neutron.log"}));
  EXPECT_THAT(log, HasSubstr("provider-kupenstack/"));
}

}  // namespace
}  // namespace kupen::test
