// What a configuration says about a real OpenStack. The API server is a fake.
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/access/config_reconciler.h"
#include "provider/base/clock.h"
#include "provider/json/json.h"
#include "provider/openstack/clouds_yaml.h"
#include "provider/openstack/transports.h"
#include "test/provider/access/fake_api.h"

namespace kupen::access {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

constexpr char kMine[] = "/apis/m.kupenstack.io/v1alpha1/namespaces/team-a/providerconfigs/mine";

// Of the cluster: its clouds are demo and admin.
std::string CloudsYaml() {
  const char* path = std::getenv("OS_CLIENT_CONFIG_FILE");
  std::ostringstream text;
  text << std::ifstream(path == nullptr ? "" : path).rdbuf();
  return text.str();
}

class ConfigReconcilerOpenStackTest : public testing::Test {
 protected:
  ConfigReconcilerOpenStackTest() {
    api_.on_change = [this](const std::string& path, const rapidjson::Value* object) {
      if (path == kMine) configs_.Take({.type = kube::WatchEvent::Type::kApply, .object = object});
    };
    const auto cloud = openstack::ParseCloudsYaml(CloudsYaml(), "demo");
    EXPECT_TRUE(cloud.ok()) << cloud.status();
    if (cloud.ok()) demo_ = *cloud;
  }

  // The Ready condition with these credentials: "True Available: ".
  std::string ReadyWith(const std::string& clouds_yaml, const std::string& region = "") {
    api_.Put("/api/v1/namespaces/team-a/secrets/cloud",
             absl::StrCat(R"({"data": {"clouds.yaml": ")", absl::Base64Escape(clouds_yaml), R"("}})"));
    api_.Put(kMine, absl::StrCat(R"({"spec": {"credentials": {"secretRef": {"name": "cloud"}, "cloud": "demo"}, "region": ")",
                                 region, R"("}})"));
    reconciler_.Reconcile({std::string(kProviderConfig), "team-a", "mine"}, {});
    const rapidjson::Document config = api_.Get(kMine);
    for (const rapidjson::Value& condition : json::Array(config, {"status", "conditions"})) {
      return absl::StrCat(json::String(condition, {"status"}), " ", json::String(condition, {"reason"}), ": ",
                          json::String(condition, {"message"}));
    }
    return "none";
  }

  openstack::Cloud demo_;
  test::FakeApi api_;
  kube::Client client_{api_, "tester"};
  kube::EventRecorder events_{client_, SystemClock(), {.component = "tester"}};
  kube::Store configs_;
  kube::Store cluster_configs_;
  runtime::WorkQueue queue_{SystemClock()};
  Scopes scopes_;
  ConfigReconciler reconciler_{{.provider_configs = configs_,
                                .cluster_provider_configs = cluster_configs_,
                                .client = client_,
                                .events = events_,
                                .queue = queue_,
                                .scopes = scopes_,
                                .clock = SystemClock(),
                                .transports = openstack::HttpTransports(),
                                .scope_events = {},
                                .service_types = {"block-storage", "compute", "image", "network"},
                                .count_users = [](const ConfigRef&) { return int64_t{0}; },
                                .users_of = [](const ConfigRef&) { return std::vector<runtime::Key>(); },
                                .users_known = [] { return true; },
                                .on_scope_change = [](const ConfigRef&) {},
                                .on_problem = [](const ConfigRef&, const absl::Status& problem) { ADD_FAILURE() << problem; }}};
};

TEST_F(ConfigReconcilerOpenStackTest, FindsRegionProjectAndServices) {
  EXPECT_EQ(ReadyWith(CloudsYaml()), "True Available: ");
  const rapidjson::Document config = api_.Get(kMine);
  EXPECT_EQ(json::String(config, {"status", "cloud", "region"}), demo_.region);
  EXPECT_THAT(std::string(json::String(config, {"status", "cloud", "projectID"})), MatchesRegex("[0-9a-f]{32}"));
  EXPECT_THAT(std::string(json::String(config, {"status", "cloud", "userID"})), MatchesRegex("[0-9a-f]{32}"));
  std::vector<std::string> services;
  for (const rapidjson::Value& service : json::Array(config, {"status", "cloud", "services"})) {
    services.push_back(absl::StrCat(json::String(service, {"type"}), " ", json::String(service, {"version"}), " ",
                                    json::String(service, {"microversion"})));
  }
  EXPECT_THAT(services, ElementsAre(MatchesRegex("block-storage v3 3\\.[0-9]+"), MatchesRegex("compute v2.1 2\\.[0-9]+"),
                                    "image v2 ", "network v2.0 "));
}

TEST_F(ConfigReconcilerOpenStackTest, WrongPassword) {
  const std::string wrong =
      absl::StrReplaceAll(CloudsYaml(), {{absl::StrCat("password: ", demo_.credentials.secret), "password: password-marker"}});
  EXPECT_EQ(ReadyWith(wrong), absl::StrCat("False AuthenticationFailed: cannot log in to cloud \"demo\" at ", demo_.auth_url,
                                           ": keystone: 401 The request you have made requires authentication."));
  EXPECT_THAT(api_.AwaitEvents(1), ElementsAre(MatchesRegex("Warning AuthenticationFailed: .* \\(req-[0-9a-f-]+\\)")));
  EXPECT_THAT(api_.sent(), Not(HasSubstr("password-marker")));
}

TEST_F(ConfigReconcilerOpenStackTest, UnreachableKeystone) {
  const std::string nowhere = absl::StrReplaceAll(CloudsYaml(), {{demo_.auth_url, "http://127.0.0.1:1/v3"}});
  EXPECT_THAT(ReadyWith(nowhere),
              HasSubstr("False Unreachable: cannot log in to cloud \"demo\" at http://127.0.0.1:1/v3: keystone: "));
}

TEST_F(ConfigReconcilerOpenStackTest, MissingRegionThenTheRightOne) {
  EXPECT_EQ(ReadyWith(CloudsYaml(), "Atlantis"),
            absl::StrCat("False NoSuchRegion: the cloud has no region Atlantis; it has: ", demo_.region));
  EXPECT_EQ(ReadyWith(CloudsYaml(), demo_.region), "True Available: ");
}

}  // namespace
}  // namespace kupen::access
