#include "provider/access/credentials.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"

namespace kupen::access {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

constexpr char kCloudsYaml[] = R"(
clouds:
  one:
    region_name: R1
    auth: {auth_url: "http://keystone:5000", user_id: u1, password: password-marker, project_id: p1}
)";

const ConfigRef& Mine() {
  static const auto* const kRef = new ConfigRef{.kind = std::string(kProviderConfig), .ns = "team-a", .name = "mine"};
  return *kRef;
}

const ConfigRef& Shared() {
  static const auto* const kRef = new ConfigRef{.kind = std::string(kClusterProviderConfig), .ns = "", .name = "default"};
  return *kRef;
}

absl::StatusOr<ConfigSpec> Parse(const ConfigRef& ref, absl::string_view spec) {
  return ParseConfig(ref, json::Parse(absl::StrCat(R"({"spec": )", spec, "}")).value());
}

// A Secret with these keys, each followed by its value.
rapidjson::Document Secret(std::initializer_list<std::pair<absl::string_view, absl::string_view>> data) {
  std::string members;
  for (const auto& [key, value] : data) {
    absl::StrAppend(&members, members.empty() ? "" : ",", "\"", key, "\":\"", absl::Base64Escape(value), "\"");
  }
  return json::Parse(absl::StrCat(R"({"data": {)", members, "}}")).value();
}

TEST(ParseConfig, TakesTheSecretOfItsOwnNamespace) {
  const auto spec = Parse(Mine(), R"({"credentials": {"source": "Secret", "secretRef": {"name": "cloud"}}})");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->secret.ToString(), "team-a/cloud");
  EXPECT_EQ(spec->secret_key, "clouds.yaml");
  EXPECT_THAT(spec->namespaces.names, ElementsAre("team-a"));
}

TEST(ParseConfig, TakesAllThatAClusterProviderConfigSays) {
  const auto spec = Parse(Shared(), R"({
    "credentials": {"secretRef": {"name": "cloud", "namespace": "ops", "key": "k"}, "cloud": "one"},
    "region": "R2", "interface": "internal",
    "namespaceSelector": {"matchNames": ["b", "a"], "matchLabels": {"x": "y"}}})");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->secret.ToString(), "ops/cloud");
  EXPECT_EQ(spec->secret_key, "k");
  EXPECT_EQ(spec->cloud, "one");
  EXPECT_EQ(spec->region, "R2");
  EXPECT_EQ(spec->interface, "internal");
  EXPECT_THAT(spec->namespaces.names, ElementsAre("a", "b"));
  EXPECT_THAT(spec->namespaces.labels, ElementsAre(Pair("x", "y")));
}

TEST(ParseConfig, AnEmptySelectorIsAllNamespaces) {
  const auto spec =
      Parse(Shared(), R"({"credentials": {"secretRef": {"name": "c", "namespace": "ops"}}, "namespaceSelector": {}})");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_THAT(spec->namespaces.names, IsEmpty());
  EXPECT_FALSE(spec->namespaces.needs_labels());
}

struct BadSpec {
  const char* reason;
  const ConfigRef& ref;
  const char* spec;
  const char* message;
};

class BadSpecs : public testing::TestWithParam<BadSpec> {};

TEST_P(BadSpecs, AreRefused) {
  const auto spec = Parse(GetParam().ref, GetParam().spec);
  ASSERT_FALSE(spec.ok()) << GetParam().reason;
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr(GetParam().message)) << GetParam().reason;
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadSpecs,
    testing::Values(
        BadSpec{
            "a tenant could have anybody's Secret sent to his own Keystone", Mine(),
            R"({"credentials": {"secretRef": {"name": "cloud", "namespace": "ops"}}})",
            "spec.credentials.secretRef.namespace: is ops, but a ProviderConfig takes Secrets of its own namespace (team-a)"},
        BadSpec{"a tenant could read the provider's files", Mine(),
                R"({"credentials": {"source": "Filesystem", "fs": {"path": "/etc"}}})",
                "spec.credentials.source: is Filesystem; only Secret is possible"},
        BadSpec{"nobody may", Shared(), R"({"credentials": {"source": "Environment"}, "namespaceSelector": {}})",
                "spec.credentials.source: is Environment"},
        BadSpec{"no Secret", Mine(), R"({"credentials": {}})", "spec.credentials.secretRef.name"},
        BadSpec{"no namespace", Shared(), R"({"credentials": {"secretRef": {"name": "c"}}, "namespaceSelector": {}})",
                "spec.credentials.secretRef.namespace: give"},
        BadSpec{"who is served must be said", Shared(), R"({"credentials": {"secretRef": {"name": "c", "namespace": "ops"}}})",
                "spec.namespaceSelector: say which namespaces it serves; {} is all of them"}));

TEST(CloudOf, ReadsTheCloudsYamlOfTheSecret) {
  const auto cloud = CloudOf({.secret = {"team-a", "cloud"}, .secret_key = "k"}, Secret({{"k", kCloudsYaml}}));
  ASSERT_TRUE(cloud.ok()) << cloud.status();
  EXPECT_EQ(cloud->auth_url, "http://keystone:5000/v3");
  EXPECT_EQ(cloud->region, "R1");
  EXPECT_EQ(cloud->interface, "public");
  EXPECT_EQ(cloud->tls.ca_pem, "");
}

TEST(CloudOf, TheConfigurationAndTheAuthorityBesideOverride) {
  const auto cloud =
      CloudOf({.secret = {"team-a", "cloud"}, .secret_key = "clouds.yaml", .region = "R2", .interface = "internal"},
              Secret({{"clouds.yaml", kCloudsYaml}, {"cacert", "-----BEGIN CERTIFICATE-----\nX\n"}}));
  ASSERT_TRUE(cloud.ok()) << cloud.status();
  EXPECT_EQ(cloud->region, "R2");
  EXPECT_EQ(cloud->interface, "internal");
  EXPECT_EQ(cloud->tls.ca_pem, "-----BEGIN CERTIFICATE-----\nX\n");
}

struct BadSecret {
  const char* reason;
  std::string secret;
  const char* cloud;
  const char* message;
};

class BadSecrets : public testing::TestWithParam<BadSecret> {};

TEST_P(BadSecrets, AreNamedWithoutTheirContent) {
  const auto cloud = CloudOf({.secret = {"team-a", "cloud"}, .secret_key = "clouds.yaml", .cloud = GetParam().cloud},
                             json::Parse(GetParam().secret).value());
  ASSERT_FALSE(cloud.ok()) << GetParam().reason;
  EXPECT_THAT(std::string(cloud.status().message()), HasSubstr(GetParam().message)) << GetParam().reason;
  EXPECT_THAT(cloud.status().ToString(), Not(HasSubstr("marker"))) << GetParam().reason;
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadSecrets,
    testing::Values(BadSecret{"no data", "{}", "", "Secret team-a/cloud: has no key clouds.yaml; it has no key"},
                    BadSecret{"another key", json::Write(Secret({{"clouds.yml", "password-marker"}})), "",
                              "Secret team-a/cloud: has no key clouds.yaml; it has the keys clouds.yml"},
                    BadSecret{"no base64", R"({"data": {"clouds.yaml": "password-marker!"}})", "",
                              "key clouds.yaml: is not base64"},
                    BadSecret{"no YAML", json::Write(Secret({{"clouds.yaml", "clouds: [password-marker"}})), "",
                              "Secret team-a/cloud: key clouds.yaml: not YAML"},
                    BadSecret{"no such cloud", json::Write(Secret({{"clouds.yaml", kCloudsYaml}})), "two",
                              "has no cloud \"two\"; there are: one"},
                    BadSecret{"no certificate", json::Write(Secret({{"clouds.yaml", kCloudsYaml}, {"cacert", "cert-marker"}})),
                              "", "Secret team-a/cloud: key cacert: must hold certificates"}));

}  // namespace
}  // namespace kupen::access
