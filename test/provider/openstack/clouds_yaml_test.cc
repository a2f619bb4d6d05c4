#include "provider/openstack/clouds_yaml.h"

#include <functional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen::openstack {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Stands for every secret in these tests: no error may hold it.
constexpr char kSecret[] = "s3cr3t-marker";

constexpr absl::string_view kDemo = R"(
clouds:
  demo:
    region_name: RegionOne
    auth:
      auth_url: http://keystone:5000/v3
      username: demo
      password: s3cr3t-marker
      project_name: demo
      user_domain_name: Default
      project_domain_name: Default
)";

// A cloud with these lines below its name, indented by four.
std::string CloudWith(absl::string_view lines) { return absl::StrCat("clouds:\n  c:\n", lines); }

// The same with a login that is complete but for these keys of `auth`, indented by six.
std::string LoginWith(absl::string_view auth_lines) {
  return absl::StrCat("clouds:\n  c:\n    auth:\n      auth_url: http://k\n", auth_lines);
}

constexpr absl::string_view kPassword = "      user_id: u1\n      password: s3cr3t-marker\n";

TEST(CloudsYaml, ReadsPasswordLogin) {
  const absl::StatusOr<Cloud> cloud = ParseCloudsYaml(kDemo);
  ASSERT_TRUE(cloud.ok()) << cloud.status();
  Cloud expected;
  expected.name = "demo";
  expected.auth_url = "http://keystone:5000/v3";
  expected.credentials.user = {.id = "", .name = "demo", .domain_id = "", .domain_name = "Default"};
  expected.credentials.secret = kSecret;
  expected.scope.project = {.id = "", .name = "demo", .domain_id = "", .domain_name = "Default"};
  expected.region = "RegionOne";
  EXPECT_TRUE(*cloud == expected);
}

struct ValidCase {
  const char* reason;
  std::string text;
  std::function<bool(const Cloud&)> holds;
};

class ValidCloud : public testing::TestWithParam<ValidCase> {};

TEST_P(ValidCloud, Means) {
  const absl::StatusOr<Cloud> cloud = ParseCloudsYaml(GetParam().text, "c");
  ASSERT_TRUE(cloud.ok()) << GetParam().reason << ": " << cloud.status();
  EXPECT_TRUE(GetParam().holds(*cloud)) << GetParam().reason;
}

INSTANTIATE_TEST_SUITE_P(
    CloudsYaml, ValidCloud,
    testing::Values(
        ValidCase{"an application credential is recognised without auth_type",
                  LoginWith("      application_credential_id: a1\n      application_credential_secret: x\n"),
                  [](const Cloud& c) {
                    return c.credentials.method == AuthMethod::kApplicationCredential &&
                           c.credentials.application_credential_id == "a1" && c.credentials.secret == "x" && c.scope == Scope();
                  }},
        ValidCase{"an application credential by name belongs to a user",
                  LoginWith("      application_credential_name: n\n      application_credential_secret: x\n      username: u\n"
                            "      user_domain_id: default\n"),
                  [](const Cloud& c) {
                    return c.credentials.application_credential_name == "n" && c.credentials.user.domain_id == "default";
                  }},
        ValidCase{"a token is recognised without auth_type", LoginWith("      token: t\n      project_id: p\n"),
                  [](const Cloud& c) {
                    return c.credentials.method == AuthMethod::kToken && c.credentials.secret == "t" &&
                           c.scope.project.id == "p";
                  }},
        ValidCase{"auth_type decides when both are there",
                  CloudWith("    auth_type: password\n    auth: {auth_url: http://k, user_id: u, password: p, token: t}\n"),
                  [](const Cloud& c) { return c.credentials.method == AuthMethod::kPassword && c.credentials.secret == "p"; }},
        ValidCase{"v3 is appended to an auth_url without it", LoginWith(kPassword),
                  [](const Cloud& c) { return c.auth_url == "http://k/v3"; }},
        ValidCase{"below a path too, and a trailing slash does not matter",
                  CloudWith("    auth: {auth_url: 'https://cloud/identity/', user_id: u, password: p}\n"),
                  [](const Cloud& c) { return c.auth_url == "https://cloud/identity/v3"; }},
        ValidCase{"a domain given once is the user's and the project's",
                  LoginWith("      username: u\n      password: p\n      project_name: pr\n      domain_name: D\n"),
                  [](const Cloud& c) {
                    return c.credentials.user.domain_name == "D" && c.scope.project.domain_name == "D" &&
                           c.scope.domain_name.empty();
                  }},
        ValidCase{"without a project it is the scope",
                  LoginWith("      username: u\n      password: p\n      user_domain_id: default\n      domain_id: d1\n"),
                  [](const Cloud& c) { return c.scope.domain_id == "d1" && c.scope.project.empty(); }},
        ValidCase{
            "default_domain_id stands in for both domains",
            LoginWith("      username: u\n      password: p\n      project_name: pr\n      default_domain_id: default\n"),
            [](const Cloud& c) { return c.credentials.user.domain_id == "default" && c.scope.project.domain_id == "default"; }},
        ValidCase{"system scope", absl::StrCat(LoginWith(kPassword), "      system_scope: all\n"),
                  [](const Cloud& c) { return c.scope.system; }},
        ValidCase{"tenants are projects, hyphens are underscores",
                  LoginWith("      username: u\n      password: p\n      user-domain-name: D\n      tenant-id: t1\n"),
                  [](const Cloud& c) { return c.scope.project.id == "t1" && c.credentials.user.domain_name == "D"; }},
        ValidCase{"a project beside auth counts", absl::StrCat(LoginWith(kPassword), "    project_id: p1\n"),
                  [](const Cloud& c) { return c.scope.project.id == "p1"; }},
        ValidCase{"ids that look like numbers stay text", absl::StrCat(LoginWith(kPassword), "      project_id: 0123\n"),
                  [](const Cloud& c) { return c.scope.project.id == "0123"; }},
        ValidCase{"public is the default interface, certificates are verified", LoginWith(kPassword),
                  [](const Cloud& c) { return c.interface == "public" && c.tls.verify && c.region.empty(); }},
        ValidCase{"endpoint_type is an older name of interface",
                  absl::StrCat(LoginWith(kPassword), "    endpoint_type: internalURL\n"),
                  [](const Cloud& c) { return c.interface == "internal"; }},
        ValidCase{"insecure wins over verify", absl::StrCat(LoginWith(kPassword), "    verify: true\n    insecure: True\n"),
                  [](const Cloud& c) { return !c.tls.verify; }},
        ValidCase{"a certificate authority as text",
                  absl::StrCat(LoginWith(kPassword), "    cacert: |\n      -----BEGIN CERTIFICATE-----\n      AA\n"),
                  [](const Cloud& c) { return absl::StartsWith(c.tls.ca_pem, "-----BEGIN"); }},
        ValidCase{"of several regions the first", absl::StrCat(LoginWith(kPassword), "    regions: [R1, R2]\n"),
                  [](const Cloud& c) { return c.region == "R1"; }},
        ValidCase{"regions may be mappings", absl::StrCat(LoginWith(kPassword), "    regions: [{name: R1}]\n"),
                  [](const Cloud& c) { return c.region == "R1"; }},
        ValidCase{"settings of a service go by its type or an alias",
                  absl::StrCat(LoginWith(kPassword),
                               "    volumev3_endpoint_override: http://cinder/v3\n"
                               "    compute_default_microversion: '2.79'\n    network_interface: admin\n"
                               "    load_balancer_region_name: R9\n    compute_api_version: '2'\n"),
                  [](const Cloud& c) {
                    return c.services.size() == 4 && c.services.at("block-storage").endpoint == "http://cinder/v3" &&
                           c.services.at("compute").microversion == "2.79" && c.services.at("network").interface == "admin" &&
                           c.services.at("load-balancer").region == "R9";
                  }}));

struct InvalidCase {
  const char* reason;
  std::string text;
  // In this order.
  std::string message;
};

class InvalidCloud : public testing::TestWithParam<InvalidCase> {};

TEST_P(InvalidCloud, NamesTheKeyAndNoSecret) {
  const absl::StatusOr<Cloud> cloud = ParseCloudsYaml(GetParam().text, "c");
  ASSERT_FALSE(cloud.ok()) << GetParam().reason;
  EXPECT_EQ(cloud.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(cloud.status().message()), HasSubstr(GetParam().message)) << GetParam().reason;
  EXPECT_THAT(std::string(cloud.status().message()), Not(HasSubstr(kSecret)));
}

INSTANTIATE_TEST_SUITE_P(
    CloudsYaml, InvalidCloud,
    testing::Values(
        InvalidCase{"not YAML", "clouds: [s3cr3t-marker", "not YAML: line 1"},
        InvalidCase{"a password that starts with * is an alias to YAML", LoginWith("      password: *s3cr3t-marker\n"),
                    "not YAML: line 5"},
        InvalidCase{"an escape that YAML does not know", LoginWith("      password: \"\\s3cr3t-marker\"\n"), "not YAML"},
        InvalidCase{"text", "s3cr3t-marker", "the top of the text must be a mapping"},
        InvalidCase{"no clouds", "cloud: {}", "clouds: must be a mapping"},
        InvalidCase{"another cloud", "clouds: {a: {}, b: {}}", "has no cloud \"c\"; there are: a, b"},
        InvalidCase{"not a mapping", "clouds: {c: s3cr3t-marker}", "clouds.c: must be a mapping"},
        InvalidCase{"no auth", CloudWith("    region_name: r\n"), "clouds.c: auth: must be a mapping"},
        InvalidCase{"no auth_url", CloudWith("    auth: {user_id: u, password: s3cr3t-marker}\n"), "auth.auth_url: is missing"},
        InvalidCase{"auth_url with another scheme", CloudWith("    auth: {auth_url: 'file:///etc/passwd'}\n"),
                    "auth.auth_url: URL \"file:///etc/passwd\" does not start with http"},
        InvalidCase{"auth_url without a host", CloudWith("    auth: {auth_url: 'http:///v3'}\n"),
                    "auth.auth_url: URL \"http:///v3\": it has no host"},
        InvalidCase{"auth_url with a password in it", CloudWith("    auth: {auth_url: 'http://u:s3cr3t-marker@k'}\n"),
                    "auth.auth_url: URL with a user name or password"},
        InvalidCase{"Identity v2", CloudWith("    auth: {auth_url: 'http://k/v2.0/'}\n"), "only Identity v3"},
        InvalidCase{"a typo in auth", LoginWith("      pasword: s3cr3t-marker\n"),
                    "auth.pasword: unknown; known are auth_url, username"},
        InvalidCase{"a list as password", LoginWith("      user_id: u\n      password: [s3cr3t-marker]\n"),
                    "auth.password: must be text"},
        InvalidCase{"no password", LoginWith("      user_id: u\n"), "auth.password: is missing"},
        InvalidCase{"no user", LoginWith("      password: s3cr3t-marker\n"), "auth.username: is missing"},
        InvalidCase{"a name without a domain", LoginWith("      username: u\n      password: s3cr3t-marker\n"),
                    "auth.user_domain_name: is missing"},
        InvalidCase{"a project name without a domain", absl::StrCat(LoginWith(kPassword), "      project_name: p\n"),
                    "auth.project_domain_name: is missing"},
        InvalidCase{"an application credential without its secret", LoginWith("      application_credential_id: a\n"),
                    "auth.application_credential_secret: is missing"},
        InvalidCase{"an application credential by name without its user",
                    LoginWith("      application_credential_name: a\n      application_credential_secret: s3cr3t-marker\n"),
                    "auth.username: is missing"},
        InvalidCase{"an application credential with a scope",
                    LoginWith("      application_credential_id: a\n      application_credential_secret: s3cr3t-marker\n      "
                              "project_id: p\n"),
                    "belongs to one project already"},
        InvalidCase{"two scopes", absl::StrCat(LoginWith(kPassword), "      project_id: p\n      system_scope: all\n"),
                    "auth.system_scope: cannot stand beside a project"},
        InvalidCase{"part of the system", absl::StrCat(LoginWith(kPassword), "      system_scope: some\n"),
                    "auth.system_scope: must be all"},
        InvalidCase{"a login we don't have", absl::StrCat(LoginWith(kPassword), "    auth_type: v3oidcpassword\n"),
                    "auth_type: must be password, v3applicationcredential or token"},
        InvalidCase{"a vendor profile", absl::StrCat(LoginWith(kPassword), "    profile: ovh\n"),
                    "profile: vendor profiles are not supported"},
        InvalidCase{"Identity v2 by version", absl::StrCat(LoginWith(kPassword), "    identity_api_version: 2\n"),
                    "identity_api_version: must be 3"},
        InvalidCase{"a file", absl::StrCat(LoginWith(kPassword), "    cacert: /etc/ssl/ca.pem\n"), "files are not read"},
        InvalidCase{"a client certificate", absl::StrCat(LoginWith(kPassword), "    key: s3cr3t-marker\n"),
                    "client certificates are not supported"},
        InvalidCase{"neither true nor false", absl::StrCat(LoginWith(kPassword), "    verify: s3cr3t-marker\n"),
                    "verify: must be true or false"},
        InvalidCase{"an interface that is none", absl::StrCat(LoginWith(kPassword), "    interface: private\n"),
                    "interface: must be public, internal or admin"},
        InvalidCase{"a service's interface that is none", absl::StrCat(LoginWith(kPassword), "    image_interface: private\n"),
                    "image_interface: must be public"},
        InvalidCase{"settings per region", absl::StrCat(LoginWith(kPassword), "    regions: [{name: r, values: {a: b}}]\n"),
                    "regions: must be a list of names"}));

TEST(CloudsYaml, NeedsNoNameForTheOnlyCloud) { EXPECT_TRUE(ParseCloudsYaml(kDemo, "").ok()); }

TEST(CloudsYaml, NeedsANameAmongSeveral) {
  const absl::StatusOr<Cloud> cloud = ParseCloudsYaml("clouds: {a: {}, b: {}}");
  EXPECT_THAT(std::string(cloud.status().message()), HasSubstr("several clouds (a, b): name the one to use"));
}

TEST(CloudsYaml, EmptyTextIsAnError) { EXPECT_FALSE(ParseCloudsYaml("").ok()); }

}  // namespace
}  // namespace kupen::openstack
