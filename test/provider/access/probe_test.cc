#include "provider/access/probe.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/access/problem.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::access {
namespace {

using testing::HasSubstr;
using testing::Not;

class ProbeTest : public testing::Test {
 protected:
  ProbeTest() {
    cloud_.Serve([this](const http::Request& request) -> absl::StatusOr<http::Response> {
      if (request.target != "/v2.1/") return http::Response{.status = 404};
      if (!nova_answers_) return absl::UnavailableError("connection refused");
      return http::Response{.status = 200, .body = R"({"version": {"min_version": "2.1", "version": "2.96"}})"};
    });
  }

  absl::StatusOr<Findings> Look(const openstack::Cloud& config) {
    openstack::Session session(config, cloud_.transports(), clock_);
    return Probe(session, {"compute", "dns", "network"}, {});
  }
  absl::StatusOr<Findings> Look() { return Look(cloud_.config()); }

  bool nova_answers_ = true;
  test::FakeClock clock_;
  test::FakeCloud cloud_;
};

TEST_F(ProbeTest, FindsWhatIsBehindTheCredentials) {
  const auto findings = Look();
  ASSERT_TRUE(findings.ok()) << findings.status();
  EXPECT_EQ(
      *findings,
      (Findings{.region = "R1",
                .project_id = "p1",
                .user_id = "u1",
                .services = {{.type = "compute", .url = "http://nova:8774/v2.1", .version = "v2.1", .microversion = "2.96"},
                             {.type = "network", .url = "http://neutron:9696/v2.0", .version = "v2.0", .microversion = ""}}}));
}

TEST_F(ProbeTest, CostsNothingASecondTime) {
  openstack::Session session(cloud_.config(), cloud_.transports(), clock_);
  ASSERT_TRUE(Probe(session, {"compute"}, {}).ok());
  ASSERT_TRUE(Probe(session, {"compute"}, {}).ok());
  EXPECT_EQ(cloud_.logins(), 1);
  EXPECT_EQ(cloud_.requests().size(), 1);
}

TEST_F(ProbeTest, AServiceThatIsDownIsNoProblemOfTheCredentials) {
  nova_answers_ = false;
  const auto findings = Look();
  ASSERT_TRUE(findings.ok()) << findings.status();
  EXPECT_EQ(findings->services[0].microversion, "");
}

TEST_F(ProbeTest, WrongPassword) {
  cloud_.AnswerLogins(
      http::Response{.status = 401, .body = R"({"error": {"message": "The request you have made requires authentication."}})"});
  const absl::Status status = Look().status();
  EXPECT_EQ(ReasonOf(status), "AuthenticationFailed");
  EXPECT_EQ(status.message(),
            "cannot log in to cloud \"fake\" at http://keystone:5000/v3: keystone: 401 The request you have made requires "
            "authentication.");
}

TEST_F(ProbeTest, WhatKeystoneDoesNotUnderstand) {
  cloud_.AnswerLogins(http::Response{.status = 400, .body = R"({"error": {"message": "Expecting to find domain"}})"});
  EXPECT_EQ(ReasonOf(Look().status()), "InvalidCredentials");
}

TEST_F(ProbeTest, UnreachableKeystone) {
  cloud_.AnswerLogins(absl::UnavailableError("connection refused"));
  EXPECT_EQ(ReasonOf(Look().status()), "Unreachable");
  cloud_.AnswerLogins(http::Response{.status = 503, .body = "<html>"});
  EXPECT_EQ(ReasonOf(Look().status()), "Unreachable");
}

TEST_F(ProbeTest, AddressThatMayNotBeCalled) {
  cloud_.AnswerLogins(absl::PermissionDeniedError("the address 169.254.169.254 is link-local"));
  EXPECT_EQ(ReasonOf(Look().status()), "AddressRefused");
}

TEST_F(ProbeTest, AStopSaysNothingAboutTheCloud) {
  cloud_.AnswerLogins(absl::CancelledError("stopped"));
  EXPECT_EQ(ReasonOf(Look().status()), "Unknown");
}

TEST_F(ProbeTest, RegionThatIsNotThere) {
  openstack::Cloud config = cloud_.config();
  config.region = "R9";
  const absl::Status status = Look(config).status();
  EXPECT_EQ(ReasonOf(status), "NoSuchRegion");
  EXPECT_EQ(status.message(), "the cloud has no region R9; it has: R1");
}

TEST_F(ProbeTest, TheOnlyRegionNeedNotBeNamedButOneOfSeveralMust) {
  openstack::Cloud config = cloud_.config();
  config.region = "";
  ASSERT_TRUE(Look(config).ok());
  EXPECT_EQ(Look(config)->region, "R1");
  cloud_.set_catalog(R"([{"type": "compute", "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://a/v2.1"},
                                                           {"interface": "public", "region_id": "R2", "url": "http://b/v2.1"}]}])");
  const absl::Status status = Look(config).status();
  EXPECT_EQ(ReasonOf(status), "NoSuchRegion");
  EXPECT_EQ(status.message(), "the cloud has the regions R1, R2: say which one to use in spec.region");
}

TEST_F(ProbeTest, TokenWithoutAProject) {
  cloud_.set_catalog("[]");
  const absl::Status status = Look().status();
  EXPECT_EQ(ReasonOf(status), "InvalidCredentials");
  EXPECT_THAT(std::string(status.message()), HasSubstr("give a project"));
}

TEST_F(ProbeTest, SecretsStayOutOfErrors) {
  cloud_.AnswerLogins(http::Response{.status = 401, .body = R"({"error": {"message": "no user with password-marker"}})"});
  EXPECT_THAT(Look().status().ToString(), Not(HasSubstr("password-marker")));
}

}  // namespace
}  // namespace kupen::access
