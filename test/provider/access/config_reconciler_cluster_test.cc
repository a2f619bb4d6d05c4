// Configurations on a real API server, with no more rights there than Crossplane gives to a provider. The cloud is a fake.
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/access/config_reconciler.h"
#include "provider/base/clock.h"
#include "provider/json/json.h"
#include "provider/kube/config.h"
#include "provider/kube/watcher.h"
#include "test/provider/openstack/fake_cloud.h"
#include "test/support/cluster.h"
#include "test/support/scratch_crds.h"

namespace kupen::access {
namespace {

using runtime::Key;
using test::Eventually;
using test::Kubectl;
using testing::HasSubstr;
using testing::Not;

constexpr char kGroup[] = "m.apis.test";
constexpr absl::Duration kSoon = absl::Seconds(20);

// Crossplane's system role for a provider (its RBAC manager writes it), for the tests' group.
constexpr char kRights[] = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: $NS}
rules:
- apiGroups: [m.apis.test]
  resources: [providerconfigs, providerconfigs/status, clusterproviderconfigs, clusterproviderconfigs/status]
  verbs: [get, list, watch, update, patch, create]
- apiGroups: [m.apis.test]
  resources: ["*/finalizers"]
  verbs: [update]
- apiGroups: ["", coordination.k8s.io]
  resources: [secrets, configmaps, events, leases]
  verbs: ["*"]
)";

class ConfigReconcilerClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(test::Apply(absl::StrReplaceAll(kRights, {{"$NS", ns()}})));
    ASSERT_OK(Kubectl({"-n", ns(), "create", "serviceaccount", "provider"}).status());
    ASSERT_OK(Bind(ns()));
    ASSERT_OK_AND_ASSIGN(const std::string token, Kubectl({"-n", ns(), "create", "token", "provider"}));
    ASSERT_OK_AND_ASSIGN(kube::Config config, kube::LoadConfig(""));
    config.tls.certificate_pem = config.tls.key_pem = "";
    config.token = std::string(absl::StripAsciiWhitespace(token));
    ASSERT_OK_AND_ASSIGN(transport_, kube::Connect(config));
    client_ = std::make_unique<kube::Client>(*transport_, "access-test");
    cloud_.Serve([](const http::Request&) {
      return http::Response{.status = 200, .body = R"({"version": {"min_version": "2.1", "version": "2.96"}})"};
    });
    Start();
  }

  void TearDown() override {
    const std::string shared = absl::StrCat("clusterproviderconfigs.", kGroup, "/", ns());
    EXPECT_TRUE(Kubectl({"-n", ns(), "delete", kMine, shared, "--ignore-not-found", "--wait=false"}).ok());
    // What a failed test leaves in use would keep the namespace for ever.
    SetUsers({});
    for (const std::string& object : {std::string(kMine), shared}) {
      const absl::Status gone = Eventually(kSoon, [&] { return Gone(object); });
      EXPECT_TRUE(gone.ok()) << gone;
    }
    for (const std::string& name : {ns(), absl::StrCat(ns(), "-more")}) {
      EXPECT_TRUE(Kubectl({"delete", "clusterrole,clusterrolebinding", name, "--ignore-not-found"}).ok());
    }
  }

  absl::Status Bind(const std::string& role) {
    return Kubectl({"create", "clusterrolebinding", role, absl::StrCat("--clusterrole=", role),
                    absl::StrCat("--serviceaccount=", ns(), ":provider")})
        .status();
  }

  void Start() {
    events_ = std::make_unique<kube::EventRecorder>(*client_, SystemClock(), kube::EventOptions{.component = "access-test"});
    reconciler_ = std::make_unique<ConfigReconciler>(ConfigReconcilerOptions{
        .provider_configs = configs_,
        .cluster_provider_configs = cluster_configs_,
        .client = *client_,
        .events = *events_,
        .queue = queue_,
        .scopes = scopes_,
        .clock = SystemClock(),
        .transports = cloud_.transports(),
        .scope_events = {},
        .service_types = {"compute", "network"},
        .count_users = [this](const ConfigRef& ref) { return static_cast<int64_t>(UsersOf(ref).size()); },
        .users_of = [this](const ConfigRef& ref) { return UsersOf(ref); },
        .users_known = [] { return true; },
        .on_scope_change = [](const ConfigRef&) {},
        .on_problem = [](const ConfigRef&, const absl::Status&) {},
        .group = kGroup});
    Watch(configs_, kProviderConfig, {.group = kGroup, .version = "v1alpha1", .plural = "providerconfigs"});
    Watch(cluster_configs_, kClusterProviderConfig,
          {.group = kGroup, .version = "v1alpha1", .plural = "clusterproviderconfigs", .namespaced = false});
    Run(SecretWatch::WatcherOptions(), [this](const kube::WatchEvent& event) { reconciler_->secrets().Take(event); });
    workers_ = std::make_unique<runtime::Workers>(queue_, runtime::Workers::Options{.threads = 2}, [this](const Key& key) {
      return reconciler_->Reconcile(key, stop_.get_token());
    });
  }

  void Watch(kube::Store& store, absl::string_view kind, const kube::Resource& resource) {
    store.AddHandler([this, kind](const kube::ObjectKey& key, kube::Store::Change) {
      // Other tests' objects in the same group are not ours to touch.
      if (key.ns == ns() || key.name == ns()) queue_.Add({std::string(kind), key.ns, key.name}, runtime::Priority::kChange);
    });
    Run({.resource = resource}, [&store](const kube::WatchEvent& event) { store.Take(event); });
  }

  void Run(const kube::WatcherOptions& options, kube::Watcher::EventSink sink) {
    watchers_.push_back(std::make_unique<kube::Watcher>(
        *client_, SystemClock(), options, std::move(sink),
        [](const absl::Status& problem) { EXPECT_FALSE(absl::IsPermissionDenied(problem)) << problem; }));
    threads_.emplace_back([watcher = watchers_.back().get()](const std::stop_token& stop) { watcher->Run(stop); });
  }

  std::vector<Key> UsersOf(const ConfigRef& ref) {
    const std::lock_guard guard(mutex_);
    return ref.name == "mine" || ref.name == ns() ? users_ : std::vector<Key>();
  }
  void SetUsers(std::vector<Key> users) {
    {
      const std::lock_guard guard(mutex_);
      users_ = std::move(users);
    }
    reconciler_->OnUsersChange(Mine());
    reconciler_->OnUsersChange(Shared());
  }

  const std::string& ns() const { return namespace_.name(); }
  ConfigRef Mine() const { return {std::string(kProviderConfig), ns(), "mine"}; }
  ConfigRef Shared() const { return {std::string(kClusterProviderConfig), "", ns()}; }

  absl::Status ApplySecret(absl::string_view password) {
    return test::Apply(absl::StrCat("apiVersion: v1\nkind: Secret\nmetadata: {name: cloud, namespace: ", ns(), R"(}
stringData:
  clouds.yaml: |
    clouds:
      one:
        auth: {auth_url: "http://keystone:5000", user_id: u1, password: )",
                                    password, ", project_id: p1}\n"));
  }
  absl::Status ApplyConfig() {
    return test::Apply(absl::StrCat("apiVersion: ", kGroup,
                                    "/v1alpha1\nkind: ProviderConfig\nmetadata: {name: mine, namespace: ", ns(),
                                    "}\nspec: {credentials: {secretRef: {name: cloud}}}\n"));
  }

  absl::StatusOr<rapidjson::Document> Get(const std::string& object) { return test::GetJson({"-n", ns(), object}); }
  absl::Status Has(const std::string& object, absl::string_view part) {
    ASSIGN_OR_RETURN(const rapidjson::Document found, Get(object));
    return test::Contains(json::Write(found), part);
  }
  absl::Status Gone(const std::string& object) {
    ASSIGN_OR_RETURN(const std::string found, Kubectl({"-n", ns(), "get", object, "--ignore-not-found", "-o", "name"}));
    return found.empty() ? absl::OkStatus() : absl::FailedPreconditionError(absl::StrCat("there still is ", found));
  }
  absl::Status Found() { return scopes_.Find(Mine(), ns()).status(); }

  static constexpr char kMine[] = "providerconfigs.m.apis.test/mine";
  static constexpr char kSecret[] = "secret/cloud";
  static constexpr char kReady[] = R"("reason":"Available","status":"True")";

  const test::ScratchNamespace namespace_{"access"};
  std::unique_ptr<http::Client> transport_;
  std::unique_ptr<kube::Client> client_;
  test::FakeCloud cloud_;
  kube::Store configs_;
  kube::Store cluster_configs_;
  runtime::WorkQueue queue_{SystemClock()};
  Scopes scopes_;
  std::mutex mutex_;
  std::vector<Key> users_;
  std::unique_ptr<kube::EventRecorder> events_;
  std::unique_ptr<ConfigReconciler> reconciler_;
  std::vector<std::unique_ptr<kube::Watcher>> watchers_;
  std::stop_source stop_;
  std::vector<std::jthread> threads_;
  std::unique_ptr<runtime::Workers> workers_;
};

TEST_F(ConfigReconcilerClusterTest, IsHeldWithItsSecretWhileObjectsUseIt) {
  ASSERT_OK(ApplySecret("password-marker"));
  ASSERT_OK(ApplyConfig());
  ASSERT_OK(Eventually(kSoon, [&] { return Has(kMine, kReady); }));
  ASSERT_OK(Has(kMine, R"("region":"R1")"));
  ASSERT_OK(Has(kMine, R"({"microversion":"2.96","type":"compute","url":"http://nova:8774/v2.1","version":"v2.1"})"));
  EXPECT_FALSE(Has(kMine, "finalizers").ok());
  EXPECT_TRUE(absl::IsUnavailable(Found()));

  SetUsers({{"network.Network", ns(), "blue"}});
  ASSERT_OK(Eventually(kSoon, [&] { return Found(); }));
  EXPECT_TRUE(Has(kMine, R"("finalizers":["in-use.crossplane.io"])").ok());
  EXPECT_TRUE(Has(kSecret, R"("finalizers":["m.apis.test/in-use"])").ok());
  ASSERT_OK(Eventually(kSoon, [&] { return Has(kMine, R"("users":1)"); }));

  // As the deletion of the namespace would.
  ASSERT_OK(Kubectl({"-n", ns(), "delete", kMine, kSecret, "--wait=false"}).status());
  ASSERT_OK(Eventually(kSoon, [&] { return Has(kMine, "so far 1 object does: 1 network.Network"); }));
  ASSERT_OK(Has(kMine, kReady));
  ASSERT_OK(Has(kSecret, "deletionTimestamp"));
  EXPECT_TRUE(Found().ok()) << "objects must be able to go";

  SetUsers({});
  ASSERT_OK(Eventually(kSoon, [&] { return Gone(kMine); }));
  ASSERT_OK(Eventually(kSoon, [&] { return Gone(kSecret); }));
}

TEST_F(ConfigReconcilerClusterTest, AChangedSecretTakesEffectWithinSeconds) {
  ASSERT_OK(ApplySecret("password-marker-1"));
  ASSERT_OK(ApplyConfig());
  SetUsers({{"network.Network", ns(), "blue"}});
  ASSERT_OK(Eventually(kSoon, [&] { return Found(); }));
  ASSERT_OK(Eventually(kSoon, [&] { return Has(kMine, R"("users":1)"); }));
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document before, Get(kMine));

  ASSERT_OK(ApplySecret("password-marker-2"));
  ASSERT_OK(Eventually(absl::Seconds(5), [&] { return test::Contains(cloud_.last_login().body, "password-marker-2"); }));
  EXPECT_TRUE(Found().ok());
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document after, Get(kMine));
  EXPECT_EQ(json::String(before, {"metadata", "resourceVersion"}), json::String(after, {"metadata", "resourceVersion"}))
      << "the status says the same, so it is not written";
}

TEST_F(ConfigReconcilerClusterTest, ProblemsAreSaidWithoutSecretsAndGoAway) {
  ASSERT_OK(ApplyConfig());
  ASSERT_OK(Eventually(kSoon, [&] { return Has(kMine, absl::StrCat("Secret ", ns(), "/cloud does not exist")); }));
  ASSERT_OK(Has(kMine, R"("reason":"SecretNotFound","status":"False")"));

  cloud_.AnswerLogins(http::Response{.status = 401, .body = R"({"error": {"message": "password-marker is wrong"}})"});
  ASSERT_OK(ApplySecret("password-marker"));
  ASSERT_OK(Eventually(absl::Seconds(5), [&] { return Has(kMine, R"("reason":"AuthenticationFailed","status":"False")"); }));
  ASSERT_OK(Has(kMine, "keystone: 401"));

  cloud_.AnswerLogins(http::Response{});
  ASSERT_OK(ApplySecret("another-marker"));
  ASSERT_OK(Eventually(absl::Seconds(5), [&] { return Has(kMine, kReady); }));

  ASSERT_OK(Eventually(kSoon, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::string events, Kubectl({"-n", ns(), "get", "events", "-o", "json"}));
    return test::Contains(events, "the cloud can be used now");
  }));
  ASSERT_OK_AND_ASSIGN(const std::string events, Kubectl({"-n", ns(), "get", "events", "-o", "json"}));
  EXPECT_THAT(events, HasSubstr("SecretNotFound"));
  EXPECT_THAT(events, HasSubstr("AuthenticationFailed"));
  EXPECT_THAT(events, Not(HasSubstr("marker")));
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document config, Get(kMine));
  EXPECT_THAT(json::Write(config), Not(HasSubstr("marker")));
}

TEST_F(ConfigReconcilerClusterTest, SelectingNamespacesByLabelNeedsARightAndSaysWhich) {
  ASSERT_OK(ApplySecret("password-marker"));
  const std::string shared = absl::StrCat("clusterproviderconfigs.m.apis.test/", ns());
  ASSERT_OK(test::Apply(absl::StrCat("apiVersion: ", kGroup, "/v1alpha1\nkind: ClusterProviderConfig\nmetadata: {name: ", ns(),
                                     "}\nspec:\n  credentials: {secretRef: {name: cloud, namespace: ", ns(),
                                     "}}\n  namespaceSelector: {matchLabels: {access-test: ", ns(), "}}\n")));
  SetUsers({{"network.Network", ns(), "blue"}});
  ASSERT_OK(Eventually(kSoon, [&] { return Has(shared, R"("reason":"MissingRight","status":"False")"); }));
  ASSERT_OK(Has(shared, "the right to list and watch namespaces"));
  ASSERT_OK(Has(shared, "kubectl apply -f install/"));

  const std::string more = absl::StrCat(ns(), "-more");
  ASSERT_OK(Kubectl({"create", "clusterrole", more, "--verb=get,list,watch", "--resource=namespaces"}).status());
  ASSERT_OK(Bind(more));
  ASSERT_OK(Eventually(absl::Seconds(60), [&] { return Has(shared, kReady); }));
  EXPECT_TRUE(absl::IsPermissionDenied(scopes_.Find(Shared(), ns()).status()));
  ASSERT_OK(Kubectl({"label", "namespace", ns(), absl::StrCat("access-test=", ns())}).status());
  ASSERT_OK(Eventually(kSoon, [&] { return scopes_.Find(Shared(), ns()).status(); }));
  EXPECT_TRUE(absl::IsPermissionDenied(scopes_.Find(Shared(), "default").status()));

  SetUsers({});
  ASSERT_OK(Kubectl({"delete", shared, "--timeout=20s"}).status());
}

}  // namespace
}  // namespace kupen::access
