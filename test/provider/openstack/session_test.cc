#include "provider/openstack/session.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/openstack/error.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::openstack {
namespace {

using test::FakeClock;
using test::FakeCloud;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

absl::StatusOr<http::Response> Ok(const http::Request&) { return http::Response{.status = 200, .body = "{}"}; }

class SessionTest : public testing::Test {
 protected:
  SessionTest() { cloud_.Serve(Ok); }

  Session NewSession() { return Session(cloud_.config(), cloud_.transports(), clock_); }

  // What the cloud saw last.
  std::string LastUrl() const {
    const FakeCloud::Seen last = cloud_.requests().back();
    return absl::StrCat(last.request.method, " ", last.origin, last.request.target);
  }
  std::string LastHeader(absl::string_view name) const {
    return std::string(http::Find(cloud_.requests().back().request.headers, name));
  }

  FakeClock clock_;
  FakeCloud cloud_;
};

TEST_F(SessionTest, SendsWithTokenToTheCatalogsEndpoint) {
  Session session = NewSession();
  const absl::StatusOr<http::Response> response =
      session.Send({.service = "compute", .path = "/servers", .query = {{"name", "a b"}, {"limit", "1"}}}, {});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(LastUrl(), "GET http://nova:8774/v2.1/servers?name=a%20b&limit=1");
  EXPECT_EQ(LastHeader("X-Auth-Token"), "token-marker-1");
  EXPECT_EQ(LastHeader("Accept"), "application/json");
  EXPECT_EQ(LastHeader("OpenStack-API-Version"), "");
}

TEST_F(SessionTest, AddsTheVersionThatACatalogLeavesOut) {
  Session session = NewSession();
  for (const auto& [service, url] : std::vector<std::pair<std::string, std::string>>{
           {"network", "GET http://neutron:9696/v2.0/x"},
           {"image", "GET http://glance:9292/v2/x"},
           {"identity", "GET http://keystone:5000/v3/x"},
           {"block-storage", "GET http://cinder:8776/v3/p1/x"},
           {"volumev3", "GET http://cinder:8776/v3/p1/x"},
       }) {
    ASSERT_TRUE(session.Send({.service = service, .path = "/x"}, {}).ok());
    EXPECT_EQ(LastUrl(), url);
  }
}

TEST_F(SessionTest, SaysWhereAServiceIs) {
  Session session = NewSession();
  EXPECT_EQ(*session.EndpointOf("network", {}), "http://neutron:9696/v2.0");
  EXPECT_EQ(*session.EndpointOf("block-storage", {}), "http://cinder:8776/v3/p1");
  EXPECT_TRUE(absl::IsNotFound(session.EndpointOf("dns", {}).status()));
}

TEST_F(SessionTest, CindersRootGetsTheProject) {
  cloud_.set_catalog(
      R"([{"type": "block-storage", "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://c/volume"}]}])");
  Session session = NewSession();
  ASSERT_TRUE(session.Send({.service = "block-storage", .path = "/volumes"}, {}).ok());
  EXPECT_EQ(LastUrl(), "GET http://c:80/volume/v3/p1/volumes");
}

TEST_F(SessionTest, SettingsOfAServiceOverrideTheCatalog) {
  Cloud config = cloud_.config();
  config.services["network"].endpoint = "http://elsewhere/v2.0/";
  config.services["compute"].region = "R2";
  config.services["image"].interface = "internal";
  Session session(config, cloud_.transports(), clock_);
  ASSERT_TRUE(session.Send({.service = "network", .path = "/ports"}, {}).ok());
  EXPECT_EQ(LastUrl(), "GET http://elsewhere:80/v2.0/ports");
  EXPECT_THAT(std::string(session.Send({.service = "compute", .path = "/x"}, {}).status().message()),
              HasSubstr("in region R2"));
  EXPECT_THAT(std::string(session.Send({.service = "image", .path = "/x"}, {}).status().message()),
              HasSubstr("no internal endpoint"));
}

TEST_F(SessionTest, OneTokenServesManyRequests) {
  Session session = NewSession();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(session.Send({.service = "network", .path = "/networks"}, {}).ok());
  EXPECT_EQ(cloud_.logins(), 1);
}

TEST_F(SessionTest, TokenIsRenewedBeforeItExpires) {
  Session session = NewSession();
  for (int minute = 0; minute < 180; ++minute) {
    ASSERT_TRUE(session.Send({.service = "network", .path = "/networks"}, {}).ok());
    clock_.Advance(absl::Minutes(1));
  }
  EXPECT_EQ(cloud_.logins(), 4) << "at 0, 48, 96 and 144 minutes";
  for (const FakeCloud::Seen& seen : cloud_.requests()) EXPECT_EQ(seen.request.method, "GET") << "no request was made twice";
  EXPECT_EQ(cloud_.requests().size(), 180U);
}

TEST_F(SessionTest, RevokedTokenCostsOneRenewal) {
  Session session = NewSession();
  ASSERT_TRUE(session.Send({.service = "network", .path = "/networks"}, {}).ok());
  cloud_.RevokeTokens();
  ASSERT_TRUE(session.Send({.service = "network", .method = "POST", .path = "/networks", .body = "{}"}, {}).ok());
  EXPECT_EQ(LastHeader("X-Auth-Token"), "token-marker-2");
  EXPECT_EQ(cloud_.logins(), 2);
}

TEST_F(SessionTest, StormOf401sCostsOneRenewal) {
  Session session = NewSession();
  ASSERT_TRUE(session.Send({.service = "network", .path = "/networks"}, {}).ok());
  cloud_.RevokeTokens();
  std::vector<std::thread> threads;
  threads.reserve(32);
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&session] {
      for (int n = 0; n < 20; ++n) EXPECT_TRUE(session.Send({.service = "compute", .path = "/servers"}, {}).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cloud_.logins(), 2);
}

TEST_F(SessionTest, ServiceThatTakesNoTokenGetsOneMoreTry) {
  cloud_.Serve([](const http::Request&) { return http::Response{.status = 401}; });
  Session session = NewSession();
  const absl::Status status = session.Send({.service = "compute", .path = "/servers"}, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(cloud_.requests().size(), 2U);
  EXPECT_FALSE(session.Send({.service = "compute", .path = "/servers"}, {}).ok());
  EXPECT_EQ(cloud_.logins(), 2) << "and the next requests cause no further logins for a while";
}

TEST_F(SessionTest, StreamedBodyIsSentOnce) {
  Session session = NewSession();
  ASSERT_TRUE(session.GetToken({}).ok());
  cloud_.RevokeTokens();
  const http::BodySource source = []() -> absl::StatusOr<std::string> { return ""; };
  const absl::Status status =
      session.Send({.service = "image", .method = "PUT", .path = "/images/i/file", .body_source = source}, {}).status();
  EXPECT_EQ(HttpStatusOf(status), 401);
  EXPECT_EQ(cloud_.requests().size(), 1U);
}

TEST_F(SessionTest, WrongPasswordIsSaidInTheUsersWords) {
  cloud_.AnswerLogins(
      http::Response{.status = 401,
                     .headers = {{"x-openstack-request-id", "req-9"}},
                     .body = R"({"error": {"code": 401, "message": "The request you have made requires authentication."}})"});
  Session session = NewSession();
  const absl::Status status = session.Send({.service = "network", .path = "/networks"}, {}).status();
  EXPECT_EQ(status.message(),
            "cannot log in to cloud \"fake\" at http://keystone:5000/v3: keystone: 401 The request you have made requires "
            "authentication.");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(RequestIdOf(status), "req-9");
}

TEST_F(SessionTest, UnreachableKeystone) {
  cloud_.AnswerLogins(absl::UnavailableError("keystone:5000: connection refused"));
  Session session = NewSession();
  const absl::Status status = session.Send({.service = "network", .path = "/networks"}, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(DispositionOf(status), Disposition::kRetry);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot log in to cloud \"fake\""));
}

TEST_F(SessionTest, TransportsErrorsKeepTheirMeaning) {
  cloud_.Serve([](const http::Request&) -> absl::StatusOr<http::Response> {
    return http::MarkNeverSent(absl::UnavailableError("connection refused"));
  });
  Session session = NewSession();
  const absl::Status status = session.Send({.service = "compute", .path = "/servers"}, {}).status();
  EXPECT_EQ(status.message(), "nova: connection refused");
  EXPECT_TRUE(http::NeverSent(status));
}

TEST_F(SessionTest, FactoryMayRefuseAnAddress) {
  Session session(
      cloud_.config(),
      [](const std::string& origin, const Tls&) -> absl::StatusOr<std::shared_ptr<http::Transport>> {
        return absl::PermissionDeniedError(absl::StrCat(origin, " is not allowed"));
      },
      clock_);
  EXPECT_THAT(std::string(session.GetToken({}).status().message()), HasSubstr("http://keystone:5000 is not allowed"));
}

TEST_F(SessionTest, SecretsStayOutOfErrors) {
  // A service, and a Keystone, that repeat all they were sent.
  const auto repeat = [](const http::Request& request) {
    std::string text = request.body;
    for (const auto& [name, value] : request.headers) absl::StrAppend(&text, " ", name, "=", value);
    return http::Response{.status = 400, .body = text};
  };
  cloud_.Serve(repeat);
  Session session = NewSession();
  const absl::Status status = session
                                  .Send({.service = "identity",
                                         .method = "POST",
                                         .path = "/users",
                                         .body = R"({"user": {"password": "users-password-marker"}})",
                                         .secrets = {"users-password-marker"}},
                                        {})
                                  .status();
  EXPECT_THAT(status.ToString(), Not(HasSubstr("marker")));
  EXPECT_THAT(status.ToString(), HasSubstr("X-Auth-Token=***"));

  cloud_.AnswerLogins(repeat(cloud_.last_login()));
  Session other = NewSession();
  EXPECT_THAT(other.GetToken({}).status().ToString(), Not(HasSubstr("marker")));
}

TEST_F(SessionTest, OperationIdTiesRequestsTogether) {
  Session session = NewSession();
  ASSERT_TRUE(session.Send({.service = "network", .path = "/networks"}, {}).ok());
  const std::string made_up = LastHeader("X-Openstack-Request-Id");
  // What oslo.middleware accepts as a global request id.
  EXPECT_THAT(made_up, MatchesRegex("req-[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}"));
  ASSERT_TRUE(session.Send({.service = "network", .path = "/networks"}, {}).ok());
  EXPECT_NE(LastHeader("X-Openstack-Request-Id"), made_up);
  ASSERT_TRUE(session.Send({.service = "network", .path = "/networks", .operation_id = made_up}, {}).ok());
  EXPECT_EQ(LastHeader("X-Openstack-Request-Id"), made_up);
}

absl::StatusOr<http::Response> NovaAndCinder(const http::Request& request) {
  if (request.target == "/v2.1/") {
    return http::Response{.status = 200, .body = R"({"version": {"id": "v2.1", "version": "2.93", "min_version": "2.1"}})"};
  }
  if (request.target == "/v3/") {
    return http::Response{.status = 200, .body = R"({"versions": [{"id": "v3.0", "version": "3.70", "min_version": "3.0"}]})"};
  }
  return http::Response{.status = 200, .body = "{}"};
}

TEST_F(SessionTest, NegotiatesMicroversionsOncePerEndpoint) {
  cloud_.Serve(NovaAndCinder);
  Session session = NewSession();
  const MicroversionRange wanted = {{2, 72}, {2, 96}};
  ASSERT_TRUE(session.Send({.service = "compute", .path = "/servers", .microversions = wanted}, {}).ok());
  EXPECT_EQ(LastHeader("OpenStack-API-Version"), "compute 2.93");
  ASSERT_TRUE(session.Send({.service = "compute", .path = "/flavors", .microversions = wanted}, {}).ok());
  EXPECT_EQ(cloud_.requests().size(), 3U) << "the version document was read once";
  ASSERT_TRUE(session.Send({.service = "block-storage", .path = "/volumes", .microversions = {{{3, 0}, {3, 60}}}}, {}).ok());
  EXPECT_EQ(LastHeader("OpenStack-API-Version"), "volume 3.60");
  EXPECT_EQ(LastUrl(), "GET http://cinder:8776/v3/p1/volumes");
}

TEST_F(SessionTest, SessionsMayShareWhatTheyLearn) {
  cloud_.Serve(NovaAndCinder);
  const auto versions = std::make_shared<MicroversionCache>(clock_);
  for (int i = 0; i < 3; ++i) {
    Session session(cloud_.config(), cloud_.transports(), clock_, versions);
    ASSERT_TRUE(session.ServedMicroversions("compute", {}).ok());
  }
  EXPECT_EQ(cloud_.requests().size(), 1U);
}

TEST_F(SessionTest, UsersMicroversionIsTheLimit) {
  cloud_.Serve(NovaAndCinder);
  Cloud config = cloud_.config();
  config.services["compute"].microversion = "2.79";
  Session session(config, cloud_.transports(), clock_);
  ASSERT_TRUE(session.Send({.service = "compute", .path = "/servers", .microversions = {{{2, 72}, {2, 96}}}}, {}).ok());
  EXPECT_EQ(LastHeader("OpenStack-API-Version"), "compute 2.79");
  EXPECT_THAT(std::string(session.Send({.service = "compute", .path = "/servers", .microversions = {{{2, 90}, {2, 96}}}}, {})
                              .status()
                              .message()),
              HasSubstr("default_microversion of compute: is 2.79, but 2.90 is needed"));
}

TEST_F(SessionTest, UsersMicroversionGoesByOfficialType) {
  cloud_.Serve(NovaAndCinder);
  Cloud config = cloud_.config();
  config.services["block-storage"].microversion = "3.50";
  Session session(config, cloud_.transports(), clock_);
  ASSERT_TRUE(session.Send({.service = "volumev3", .path = "/volumes", .microversions = {{{3, 0}, {3, 60}}}}, {}).ok());
  EXPECT_EQ(LastHeader("OpenStack-API-Version"), "volume 3.50");
}

TEST_F(SessionTest, RefusedMicroversionIsLookedUpAgain) {
  cloud_.Serve([](const http::Request& request) {
    return request.target == "/v2.1/" ? NovaAndCinder(request)
                                      : http::Response{.status = 406, .body = R"({"computeFault": {"message": "no"}})"};
  });
  Session session = NewSession();
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(session.Send({.service = "compute", .path = "/servers", .microversions = {{{2, 72}, {2, 96}}}}, {}).ok());
  }
  EXPECT_EQ(cloud_.requests().size(), 4U);
}

}  // namespace
}  // namespace kupen::openstack
