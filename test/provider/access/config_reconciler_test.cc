#include "provider/access/config_reconciler.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/access/fake_api.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::access {
namespace {

using runtime::Key;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kCloudsYaml[] = R"(
clouds:
  one:
    region_name: R1
    auth: {auth_url: "http://keystone:5000", user_id: u1, password: password-marker, project_id: p1}
)";
constexpr char kSecret[] = "/api/v1/namespaces/team-a/secrets/cloud";
constexpr char kMine[] = "/apis/m.kupenstack.io/v1alpha1/namespaces/team-a/providerconfigs/mine";
constexpr char kOther[] = "/apis/m.kupenstack.io/v1alpha1/namespaces/team-a/providerconfigs/other";
constexpr char kShared[] = "/apis/m.kupenstack.io/v1alpha1/clusterproviderconfigs/default";
constexpr char kSpec[] = R"({"metadata": {"generation": 1}, "spec": {"credentials": {"secretRef": {"name": "cloud"}}}})";

ConfigRef RefOf(const std::string& path) {
  const std::vector<std::string> parts = absl::StrSplit(path, '/');
  if (path == kShared) return {std::string(kClusterProviderConfig), "", parts.back()};
  return {std::string(kProviderConfig), "team-a", parts.back()};
}

class ConfigReconcilerTest : public testing::Test {
 protected:
  ConfigReconcilerTest() {
    cloud_.Serve([](const http::Request&) {
      return http::Response{.status = 200, .body = R"({"version": {"min_version": "2.1", "version": "2.96"}})"};
    });
    api_.on_change = [this](const std::string& path, const rapidjson::Value* object) { Watch(path, object); };
    for (kube::Store* store : {&configs_, &cluster_configs_}) {
      store->Take({.type = kube::WatchEvent::Type::kInit});
      store->Take({.type = kube::WatchEvent::Type::kInitDone});
    }
    PutSecret("cloud", kCloudsYaml);
  }

  // What the watches of an API server do.
  void Watch(const std::string& path, const rapidjson::Value* object) {
    using Type = kube::WatchEvent::Type;
    const std::vector<std::string> parts = absl::StrSplit(path, '/');
    const rapidjson::Document gone =
        json::Parse(absl::StrCat(R"({"metadata": {"name": ")", parts.back(), R"(", "namespace": ")",
                                 path == kShared ? "" : "team-a", R"("}})"))
            .value();
    const kube::WatchEvent event = {.type = object != nullptr ? Type::kApply : Type::kDelete,
                                    .object = object != nullptr ? object : &gone};
    if (absl::StrContains(path, "/secrets/")) {
      reconciler_.secrets().Take(event);
    } else {
      (path == kShared ? cluster_configs_ : configs_).Take(event);
    }
  }

  void PutSecret(const std::string& name, absl::string_view clouds_yaml) {
    api_.Put(absl::StrCat("/api/v1/namespaces/team-a/secrets/", name),
             absl::StrCat(R"({"data": {"clouds.yaml": ")", absl::Base64Escape(clouds_yaml), R"("}})"));
  }

  void Reconcile(const std::string& path) {
    const ConfigRef ref = RefOf(path);
    reconciler_.Reconcile({ref.kind, ref.ns, ref.name}, {});
  }
  // All that is due in the queue, as a worker would.
  std::vector<std::string> Drain() {
    std::vector<std::string> keys;
    while (queue_.Ready() > 0) {
      const Key key = queue_.Take({}).value_or(Key());
      keys.push_back(absl::StrCat(key.kind, " ", key.name));
      reconciler_.Reconcile(key, {});
      queue_.Done(key);
    }
    return keys;
  }

  // For what another thread has to find out first: that puts it into the queue again.
  void ReconcileUntilReadyIsSaid(const std::string& path) {
    Reconcile(path);
    while (Ready(path) == "none") {
      const Key key = queue_.Take({}).value_or(Key());
      reconciler_.Reconcile(key, {});
      queue_.Done(key);
    }
  }

  // The Ready condition: "True Available: message".
  std::string Ready(const std::string& path) {
    const rapidjson::Document object = api_.Get(path);
    for (const rapidjson::Value& condition : json::Array(object, {"status", "conditions"})) {
      return absl::StrCat(json::String(condition, {"status"}), " ", json::String(condition, {"reason"}), ": ",
                          json::String(condition, {"message"}));
    }
    return "none";
  }
  std::string Finalizers(const std::string& path) {
    const rapidjson::Document object = api_.Get(path);
    const rapidjson::Value* list = json::Find(object, {"metadata", "finalizers"});
    return list == nullptr ? "[]" : json::Write(*list);
  }
  int64_t Users(const std::string& path) { return json::Find(api_.Get(path), {"status", "users"})->GetInt64(); }
  absl::Status Found(const std::string& path, absl::string_view ns = "team-a") {
    return scopes_.Find(RefOf(path), ns).status();
  }
  std::vector<std::string> Told() { return std::exchange(told_, {}); }

  // A configuration with a user, in use.
  void SetUpInUse() {
    api_.Put(kMine, kSpec);
    users_[RefOf(kMine)] = {{"network.Network", "team-a", "blue"}};
    Reconcile(kMine);
    ASSERT_TRUE(Found(kMine).ok()) << Found(kMine);
    api_.TakeWrites();
    Told();
  }

  test::FakeClock clock_;
  test::FakeCloud cloud_;
  test::FakeApi api_;
  kube::Client client_{api_, "tester"};
  kube::EventRecorder events_{client_, clock_, {.component = "tester"}};
  kube::Store configs_;
  kube::Store cluster_configs_;
  runtime::WorkQueue queue_{clock_};
  Scopes scopes_;
  absl::flat_hash_map<ConfigRef, std::vector<Key>> users_;
  bool users_known_ = true;
  std::vector<std::string> told_;
  std::vector<std::string> problems_;
  ConfigReconciler reconciler_{
      {.provider_configs = configs_,
       .cluster_provider_configs = cluster_configs_,
       .client = client_,
       .events = events_,
       .queue = queue_,
       .scopes = scopes_,
       .clock = clock_,
       .transports = cloud_.transports(),
       .scope_events = {.on_change = nullptr, .on_doubt = [](const std::string&, const std::string&) {}},
       .service_types = {"compute", "network"},
       .count_users = [this](const ConfigRef& ref) { return static_cast<int64_t>(users_[ref].size()); },
       .users_of = [this](const ConfigRef& ref) { return users_[ref]; },
       .users_known = [this] { return users_known_; },
       .on_scope_change = [this](const ConfigRef& ref) { told_.push_back(ref.name); },
       .on_problem = [this](const ConfigRef&, const absl::Status& problem) { problems_.push_back(problem.ToString()); }}};
};

TEST_F(ConfigReconcilerTest, TellsWhatIsBehindTheCredentials) {
  api_.Put(kMine, kSpec);
  Reconcile(kMine);
  const rapidjson::Document config = api_.Get(kMine);
  EXPECT_EQ(json::Write(*json::Find(config, {"status"})),
            R"({"conditions":[{"type":"Ready","status":"True","observedGeneration":1,)"
            R"("lastTransitionTime":"2027-01-15T08:00:00Z","reason":"Available"}],"observedGeneration":1,)"
            R"("cloud":{"region":"R1","projectID":"p1","userID":"u1","services":[)"
            R"({"type":"compute","url":"http://nova:8774/v2.1","version":"v2.1","microversion":"2.96"},)"
            R"({"type":"network","url":"http://neutron:9696/v2.0","version":"v2.0"}]},"users":0})");
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(ConfigReconcilerTest, WhatHasNotChangedIsNotWritten) {
  api_.Put(kMine, kSpec);
  Reconcile(kMine);
  EXPECT_THAT(api_.TakeWrites(), ElementsAre(absl::StrCat("PATCH ", kMine, "/status")));
  clock_.Advance(absl::Minutes(10));
  Reconcile(kMine);
  EXPECT_THAT(api_.TakeWrites(), IsEmpty());
  EXPECT_EQ(cloud_.logins(), 1);
  EXPECT_THAT(api_.events(), IsEmpty());
}

TEST_F(ConfigReconcilerTest, WithoutUsersNothingIsHeldAndNobodyGetsTheScope) {
  api_.Put(kMine, kSpec);
  Reconcile(kMine);
  EXPECT_TRUE(absl::IsUnavailable(Found(kMine)));
  EXPECT_EQ(Finalizers(kMine), "[]");
  EXPECT_EQ(Finalizers(kSecret), "[]");
}

TEST_F(ConfigReconcilerTest, TheFirstUserGetsTheScopeAfterTheFinalizers) {
  api_.Put(kMine, kSpec);
  Reconcile(kMine);
  api_.TakeWrites();
  users_[RefOf(kMine)] = {{"network.Network", "team-a", "blue"}};
  reconciler_.OnUsersChange(RefOf(kMine));

  // The Secret's finalizer cannot be put on: no scope.
  api_.Intercept(absl::StrCat("PATCH ", kSecret), {.status = 500, .body = "{}"});
  EXPECT_THAT(Drain(), ElementsAre("ProviderConfig mine"));
  EXPECT_TRUE(absl::IsUnavailable(Found(kMine)));
  EXPECT_EQ(Finalizers(kMine), R"(["in-use.crossplane.io"])");
  EXPECT_THAT(Told(), IsEmpty());

  api_.Intercept("", {});
  Reconcile(kMine);
  EXPECT_TRUE(Found(kMine).ok()) << Found(kMine);
  EXPECT_EQ(Finalizers(kSecret), R"(["m.kupenstack.io/in-use"])");
  EXPECT_THAT(Told(), ElementsAre("mine"));
  EXPECT_EQ(Users(kMine), 0) << "lags";
  clock_.Advance(absl::Seconds(5));
  Reconcile(kMine);
  EXPECT_EQ(Users(kMine), 1);
}

TEST_F(ConfigReconcilerTest, AfterARestartUsersAreServedWithoutAWrite) {
  SetUpInUse();
  clock_.Advance(absl::Seconds(10));
  Reconcile(kMine);
  EXPECT_THAT(api_.TakeWrites(), IsEmpty());
  EXPECT_THAT(Told(), IsEmpty());
}

TEST_F(ConfigReconcilerTest, WhenTheLastUserGoesSoDoTheFinalizersTheSecretsFirst) {
  SetUpInUse();
  api_.Put(kSecret, R"({"metadata": {"finalizers": ["somebody/else", "m.kupenstack.io/in-use"]}})");
  users_.clear();
  reconciler_.OnUsersChange(RefOf(kMine));
  Drain();
  EXPECT_TRUE(absl::IsUnavailable(Found(kMine)));
  EXPECT_THAT(api_.TakeWrites(), ElementsAre(absl::StrCat("PATCH ", kSecret), absl::StrCat("PATCH ", kMine)));
  EXPECT_EQ(Finalizers(kSecret), R"(["somebody/else"])");
  EXPECT_EQ(Finalizers(kMine), "[]");
}

TEST_F(ConfigReconcilerTest, NothingIsReleasedUntilAllUsersAreKnown) {
  SetUpInUse();
  users_known_ = false;
  users_.clear();
  Reconcile(kMine);
  EXPECT_THAT(api_.TakeWrites(), IsEmpty());
  EXPECT_EQ(Users(kMine), 1);
  EXPECT_TRUE(Found(kMine).ok());
  users_known_ = true;
  Reconcile(kMine);
  EXPECT_EQ(Finalizers(kSecret), "[]");
  EXPECT_EQ(Finalizers(kMine), "[]");
}

TEST_F(ConfigReconcilerTest, ASharedSecretIsKeptUntilTheLastOfItsConfigurationsIsUnused) {
  SetUpInUse();
  api_.Put(kOther, kSpec);
  users_[RefOf(kOther)] = {{"network.Network", "team-a", "red"}};
  Reconcile(kOther);
  users_.erase(RefOf(kMine));
  Reconcile(kMine);
  EXPECT_EQ(Finalizers(kMine), "[]");
  EXPECT_EQ(Finalizers(kSecret), R"(["m.kupenstack.io/in-use"])");
  users_.clear();
  Reconcile(kOther);
  EXPECT_EQ(Finalizers(kSecret), "[]");
}

TEST_F(ConfigReconcilerTest, AnotherSecretReleasesTheFirst) {
  SetUpInUse();
  PutSecret("second", kCloudsYaml);
  api_.Put(kMine, R"({"spec": {"credentials": {"secretRef": {"name": "second"}}}})");
  Reconcile(kMine);
  EXPECT_EQ(Finalizers("/api/v1/namespaces/team-a/secrets/second"), R"(["m.kupenstack.io/in-use"])");
  EXPECT_THAT(Drain(), Contains("Secret cloud"));
  EXPECT_EQ(Finalizers(kSecret), "[]");
  EXPECT_THAT(Told(), IsEmpty()) << "the same cloud: whoever works with it may go on";
}

TEST_F(ConfigReconcilerTest, ASecretThatWasHeldForAConfigurationOfThePastIsReleased) {
  api_.Put(kSecret, R"({"metadata": {"finalizers": ["m.kupenstack.io/in-use"]}})");
  users_known_ = false;
  EXPECT_THAT(Drain(), ElementsAre("Secret cloud"));
  EXPECT_EQ(Finalizers(kSecret), R"(["m.kupenstack.io/in-use"])");
  users_known_ = true;
  reconciler_.Reconcile({"Secret", "team-a", "cloud"}, {});
  EXPECT_EQ(Finalizers(kSecret), "[]");
}

// A namespace is deleted: everything in it is, at once.
TEST_F(ConfigReconcilerTest, DeletedTogetherTheyStayUntilTheLastUserIsGone) {
  SetUpInUse();
  users_[RefOf(kMine)].push_back({"compute.VirtualMachine", "team-a", "vm"});
  clock_.Advance(absl::Seconds(5));
  api_.Delete(kMine);
  api_.Delete(kSecret);
  Reconcile(kMine);
  EXPECT_TRUE(Found(kMine).ok());
  const std::string message =
      "is kept until nothing uses it any more; so far 2 objects do: 1 compute.VirtualMachine, 1 network.Network";
  EXPECT_EQ(Ready(kMine), "True Available: " + message);
  EXPECT_THAT(api_.AwaitEvents(1), ElementsAre("Normal InUse: " + message));

  users_.clear();
  Reconcile(kMine);
  EXPECT_TRUE(api_.Get(kSecret).IsNull());
  EXPECT_TRUE(api_.Get(kMine).IsNull());
  Reconcile(kMine);
  reconciler_.OnSynced();
  EXPECT_TRUE(absl::IsNotFound(Found(kMine)));
}

TEST_F(ConfigReconcilerTest, WhatIsBeingDeletedTakesNoFirstUser) {
  api_.Put(kMine,
           R"({"metadata": {"finalizers": ["somebody/else"]}, "spec": {"credentials": {"secretRef": {"name": "cloud"}}}})");
  api_.Delete(kMine);
  users_[RefOf(kMine)] = {{"network.Network", "team-a", "blue"}};
  Reconcile(kMine);
  EXPECT_EQ(Found(kMine).message(), "ProviderConfig mine: is being deleted: no object can begin to use it");
}

TEST_F(ConfigReconcilerTest, AThousandUsersAreFewWrites) {
  api_.Put(kMine, kSpec);
  for (int i = 0; i < 1000; ++i) {
    users_[RefOf(kMine)].push_back({"network.Network", "team-a", absl::StrCat("n", i)});
    reconciler_.OnUsersChange(RefOf(kMine));
    if (i % 10 == 0) Drain();
    clock_.Advance(absl::Milliseconds(10));
  }
  clock_.Advance(absl::Seconds(5));
  Drain();
  EXPECT_EQ(Users(kMine), 1000);
  EXPECT_LE(api_.TakeWrites().size(), 6) << "two finalizers, and a status every 5 s in 15 s";
}

TEST_F(ConfigReconcilerTest, AChangedPasswordMakesAnotherScope) {
  SetUpInUse();
  const std::shared_ptr<Scope> before = scopes_.Find(RefOf(kMine), "team-a").value();
  api_.Put(kSecret, R"({"metadata": {"labels": {"a": "b"}}})");
  EXPECT_THAT(Drain(), ElementsAre("ProviderConfig mine"));
  EXPECT_EQ(scopes_.Find(RefOf(kMine), "team-a").value(), before) << "nothing of use to us has changed";

  PutSecret("cloud", absl::StrReplaceAll(kCloudsYaml, {{"password-marker", "password-marker2"}}));
  EXPECT_THAT(Drain(), ElementsAre("ProviderConfig mine"));
  EXPECT_NE(scopes_.Find(RefOf(kMine), "team-a").value(), before);
  EXPECT_THAT(Told(), ElementsAre("mine"));
  EXPECT_THAT(api_.TakeWrites(), IsEmpty()) << "the status says the same";
}

TEST_F(ConfigReconcilerTest, ADoubtfulCloudIsAnEventOfTheConfiguration) {
  SetUpInUse();
  cloud_.Serve([](const http::Request&) { return http::Response{.status = 200, .headers = {}, .body = R"({"networks":[]})"}; });
  const std::shared_ptr<Scope> scope = *scopes_.Find(RefOf(kMine), "team-a");
  openstack::Mirror& networks = scope->MirrorOf(
      "network.Network",
      [] {
        return openstack::MirrorSpec{.rest = {.service = "network", .path = "/networks", .list_key = "networks"},
                                     .fields = {"id"},
                                     .marker_of = [](const rapidjson::Value&) { return std::string(); }};
      },
      [](openstack::Mirror& mirror) {
        for (int i = 0; i < 12; ++i) mirror.Track(absl::StrCat("n-", i));
      });
  EXPECT_TRUE(absl::IsUnavailable(networks.Refresh({})));
  EXPECT_THAT(api_.AwaitEvents(1), ElementsAre(HasSubstr("Warning CloudInDoubt: neutron: 12 of 12 networks are missing")));
}

TEST_F(ConfigReconcilerTest, AMissingSecretIsSaidOnceAndHealsWhenItComes) {
  api_.Delete(kSecret);
  api_.Put(kMine, kSpec);
  users_[RefOf(kMine)] = {{"network.Network", "team-a", "blue"}};
  Reconcile(kMine);
  clock_.Advance(absl::Minutes(1));
  Reconcile(kMine);
  EXPECT_EQ(Ready(kMine), "False SecretNotFound: Secret team-a/cloud does not exist");
  EXPECT_EQ(Found(kMine).message(), "ProviderConfig mine: Secret team-a/cloud does not exist");
  EXPECT_THAT(api_.TakeWrites(), ElementsAre(absl::StrCat("PATCH ", kMine), absl::StrCat("PATCH ", kMine, "/status")));
  EXPECT_THAT(api_.AwaitEvents(1), ElementsAre("Warning SecretNotFound: Secret team-a/cloud does not exist"));
  EXPECT_THAT(Told(), ElementsAre("mine"));

  while (queue_.Ready() > 0) queue_.Done(queue_.Take({}).value_or(Key()));
  PutSecret("cloud", kCloudsYaml);
  EXPECT_THAT(Drain(), Contains("ProviderConfig mine"));
  EXPECT_EQ(Ready(kMine), "True Available: ");
  EXPECT_TRUE(Found(kMine).ok());
  EXPECT_THAT(api_.AwaitEvents(2)[1], "Normal Available: the cloud can be used now");
}

TEST_F(ConfigReconcilerTest, AWrongPasswordIsSaidInTheUsersWordsWithoutIt) {
  cloud_.AnswerLogins(http::Response{.status = 401,
                                     .headers = {{"X-Openstack-Request-Id", "req-11111111-2222-4333-8444-555555555555"}},
                                     .body = R"({"error": {"message": "password-marker is wrong"}})"});
  api_.Put(kMine, kSpec);
  Reconcile(kMine);
  EXPECT_THAT(Ready(kMine), HasSubstr("False AuthenticationFailed: cannot log in to cloud \"one\" at http://keystone:5000/v3: "
                                      "keystone: 401"));
  EXPECT_THAT(Ready(kMine), Not(HasSubstr("req-")));
  EXPECT_THAT(api_.AwaitEvents(1)[0], HasSubstr("req-11111111"));
  EXPECT_THAT(api_.sent(), Not(HasSubstr("marker")));
  EXPECT_THAT(Found(kMine).ToString(), Not(HasSubstr("marker")));
}

TEST_F(ConfigReconcilerTest, BadCloudsYamlEndsTheScope) {
  SetUpInUse();
  PutSecret("cloud", "clouds: {one: {auth: {password: password-marker}}}");
  Drain();
  EXPECT_THAT(Ready(kMine), HasSubstr("False InvalidCredentials: Secret team-a/cloud: key clouds.yaml: "));
  EXPECT_FALSE(Found(kMine).ok());
  EXPECT_TRUE(api_.Get(kMine).HasMember("status"));
  EXPECT_EQ(json::Find(api_.Get(kMine), {"status", "cloud"}), nullptr);
  EXPECT_THAT(api_.sent(), Not(HasSubstr("marker")));
}

TEST_F(ConfigReconcilerTest, ACloudThatWorkedServesOnWhileItsKeystoneIsDown) {
  SetUpInUse();
  cloud_.AnswerLogins(absl::UnavailableError("connection refused"));
  clock_.Advance(absl::Hours(2));
  Reconcile(kMine);
  EXPECT_THAT(Ready(kMine), HasSubstr("False Unreachable: cannot log in"));
  EXPECT_TRUE(Found(kMine).ok()) << "the session says itself what is wrong";
  EXPECT_THAT(Told(), IsEmpty());
  cloud_.AnswerLogins(http::Response{});
  clock_.Advance(absl::Minutes(2));
  Reconcile(kMine);
  EXPECT_EQ(Ready(kMine), "True Available: ");
  EXPECT_THAT(Told(), ElementsAre("mine")) << "whoever failed meanwhile may try again";
}

TEST_F(ConfigReconcilerTest, TroubleWithTheApiServerIsNotTheUsers) {
  api_.Put(kMine, kSpec);
  api_.Intercept(absl::StrCat("GET ", kSecret), {.status = 500, .body = "{}"});
  Reconcile(kMine);
  EXPECT_EQ(Ready(kMine), "none");
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("get secrets.v1 team-a/cloud")));
  EXPECT_TRUE(absl::IsUnavailable(Found(kMine)));
}

TEST_F(ConfigReconcilerTest, AnOldCopyOfTheObjectWritesNothing) {
  api_.Put(kMine, kSpec);
  const auto watch = std::exchange(api_.on_change, nullptr);
  api_.Put(kMine, R"({"metadata": {"labels": {"a": "b"}}})");
  Reconcile(kMine);
  EXPECT_EQ(Ready(kMine), "none");
  EXPECT_THAT(problems_, IsEmpty()) << "the watch brings the new one";
}

constexpr char kSharedSpec[] =
    R"({"spec": {"credentials": {"secretRef": {"name": "cloud", "namespace": "team-a"}}, "namespaceSelector": )";

TEST_F(ConfigReconcilerTest, NamespacesByNameNeedNoRight) {
  api_.Put(kShared, absl::StrCat(kSharedSpec, R"({"matchNames": ["team-a", "team-b"]}}})"));
  users_[RefOf(kShared)] = {{"network.Network", "team-a", "blue"}};
  Reconcile(kShared);
  EXPECT_EQ(Ready(kShared), "True Available: ");
  EXPECT_TRUE(Found(kShared, "team-b").ok());
  EXPECT_TRUE(absl::IsPermissionDenied(Found(kShared, "team-c")));
}

TEST_F(ConfigReconcilerTest, NamespacesByLabelSayWhichRightIsMissing) {
  api_.Put(kShared, absl::StrCat(kSharedSpec, R"({"matchLabels": {"cloud": "default"}}}})"));
  users_[RefOf(kShared)] = {{"network.Network", "team-a", "blue"}};
  ReconcileUntilReadyIsSaid(kShared);
  EXPECT_THAT(Ready(kShared), HasSubstr("False MissingRight: spec.namespaceSelector.matchLabels needs the right to list and "
                                        "watch namespaces"));
  EXPECT_THAT(Ready(kShared), HasSubstr("kubectl apply -f install/"));
}

TEST_F(ConfigReconcilerTest, NamespacesByLabelAndName) {
  std::string body;
  for (const std::string name : {"team-a", "team-b", "team-c"}) {
    absl::StrAppend(&body, R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"1","name":")", name,
                    R"(","labels":{"cloud":")", name == "team-c" ? "other" : "default", "\"}}}}\n");
  }
  absl::StrAppend(&body, R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"2","annotations":)",
                  R"({"k8s.io/initial-events-end":"true"}}}})", "\n");
  api_.AnswerNamespaces(200, body);
  api_.Put(kShared,
           absl::StrCat(kSharedSpec, R"({"matchLabels": {"cloud": "default"}, "matchNames": ["team-b", "team-c"]}}})"));
  users_[RefOf(kShared)] = {{"network.Network", "team-b", "blue"}};
  ReconcileUntilReadyIsSaid(kShared);
  EXPECT_EQ(Ready(kShared), "True Available: ");
  EXPECT_TRUE(Found(kShared, "team-b").ok());
  EXPECT_TRUE(absl::IsPermissionDenied(Found(kShared, "team-a"))) << "not named";
  EXPECT_TRUE(absl::IsPermissionDenied(Found(kShared, "team-c"))) << "other label";
}

TEST_F(ConfigReconcilerTest, AConfigurationThatWasNotLookedAtYetIsExpected) {
  api_.Put(kMine, kSpec);
  reconciler_.OnSynced();
  EXPECT_TRUE(absl::IsUnavailable(Found(kMine)));
  EXPECT_TRUE(absl::IsNotFound(Found(kOther)));
}

}  // namespace
}  // namespace kupen::access
