// The contract with Crossplane as tables: objects that are given, and what is to be seen of them in Kubernetes and in the
// cloud. All tests of the program share a namespace, a cloud and a running provider, and apply many rows at once.
//
//   TEST_F(Contract, …) {
//     ASSERT_OK(Give({{.name = "blue"}, {.name = "seen", .spec = "managementPolicies: [Observe], "}}));
//     ASSERT_OK(Await({{"blue", {.conditions = {{"Ready", "True Available"}}, .cloud = InCloud::kThere}},
//                      {"seen", {.conditions = {{"Synced", "False ReconcileError"}}, .cloud = InCloud::kAbsent}}}));
//
// Names are unique in the whole program, for they are the names in the cloud too.
//
// contract_…_test.cc  what of the contract
// policies            managementPolicies: all 32 sets of actions, and "*"
// pause               paused; poll-interval; reconcile-requested-at
// deletion            other finalizers, refusals, configuration or Secret gone, orphans
// import              external-name right, wrong, shared, lost; observe-only; another cluster's (rule 15); initProvider
// references          references and selectors: Required, Optional, IfNotPresent, Always, matchControllerRef
// config              a ProviderConfig and its Secret in use
// secrets             connection secrets
// failures            conditions, events and transition times (rule 5) of what fails
// status              no write without a change, by this process or the next (rules 6, 7); metrics
// safe_start          CRDs that come later
// All rows            contract_shape.cc: rules 3, 4, 6 to 11 of the status contract
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "rapidjson/document.h"
#include "test/lab/lab.h"

namespace kupen::test {

inline constexpr char kNetworks[] = "network/networks";
inline constexpr absl::Duration kSoon = absl::Seconds(60);

// A managed object, as the parts of its manifest: YAML in flow style, each followed by a comma.
struct Given {
  std::string name;
  std::string parameters = "mtu: 1400";
  // Beside forProvider and providerConfigRef.
  std::string spec = "";
  std::string metadata = "";
  std::string kind = "Network";
  // Of the ProviderConfig.
  std::string config = "mine";
};

enum class InCloud : uint8_t { kAny, kAbsent, kThere };

// What is not said is not looked at. An object with these conditions must also keep to the status contract.
struct Expected {
  // From Kubernetes.
  bool gone = false;
  // By type: "True Available".
  std::map<std::string, std::string> conditions = {};
  // Parts of the message of Synced.
  std::vector<std::string> says = {};
  // "Normal CreatedExternalResource".
  std::vector<std::string> events = {};
  std::vector<std::string> no_events = {};
  // Whether our finalizer holds it.
  std::optional<bool> held = std::nullopt;
  // By the object's name; once, and with the id of the annotation.
  InCloud cloud = InCloud::kAny;
  // A part of what the cloud shows of it: "\"mtu\":1400".
  std::string cloud_has = "";
};

// Made, as asked for, and ours.
Expected Ready();
// As asked for, with this in what the cloud shows of it.
Expected ReadyWith(std::string cloud_has);
// Gone from Kubernetes and from the cloud.
Expected Gone();
// Gone from Kubernetes alone.
Expected Orphaned();

using Rows = std::vector<std::pair<std::string, Expected>>;

// All that there is in the namespace and in the cloud at one moment.
class View {
 public:
  static absl::StatusOr<View> Of(Lab& lab);

  // Null if there is none: a managed object, another one ("Secret/mine"), what the cloud has by that name (the first).
  const rapidjson::Value* Find(absl::string_view name) const;
  const rapidjson::Value* FindOther(absl::string_view kind_and_name) const;
  const rapidjson::Value* FindInCloud(absl::string_view name) const;
  // Of an object: "True Available"; and the message.
  std::string Condition(absl::string_view name, absl::string_view type) const;
  std::string Message(absl::string_view name, absl::string_view type) const;
  // The events about an object.
  std::vector<const rapidjson::Value*> Events(absl::string_view name) const;

  const std::map<std::string, const rapidjson::Value*, std::less<>>& objects() const { return objects_; }
  absl::Status Matches(const std::string& name, const Expected& expected) const;

 private:
  absl::Status MatchesInKubernetes(const std::string& name, const Expected& expected) const;
  absl::Status MatchesInCloud(const std::string& name, const Expected& expected) const;

  rapidjson::Document list_;
  std::map<std::string, const rapidjson::Value*, std::less<>> objects_;
  std::map<std::string, const rapidjson::Value*, std::less<>> others_;
  std::multimap<std::string, const rapidjson::Value*, std::less<>> events_;
  std::multimap<std::string, rapidjson::Document, std::less<>> cloud_;
};

class Contract : public testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;
  void TearDown() override;

  static Lab& lab() { return *lab_; }
  static absl::Status Give(const std::vector<Given>& objects);
  // Until every row is so; else all that are not.
  static absl::Status Await(const Rows& rows);
  // Deletes them, and does not wait.
  static absl::Status Delete(const std::vector<std::string>& names, absl::string_view kind = "Network");
  // `kubectl annotate`, of the Networks of those names.
  static absl::Status Annotate(const std::vector<std::string>& names, absl::string_view annotation);
  static absl::Status PatchNetwork(const std::string& name, absl::string_view patch);

  // The id of the object of that name.
  static absl::StatusOr<std::string> IdOf(const std::string& name);
  // Somebody else's network: its id.
  static absl::StatusOr<std::string> MakeForeign(const std::string& name, absl::string_view description = "");
  // How many requests of the provider were so, since the last ResetRequests(): "POST", "/networks", "/networks/{id}".
  static int CountRequests(absl::string_view method, absl::string_view path_end);
  // Until the cloud has been looked at so often: time enough for a provider that would do something.
  static absl::Status AwaitLists(int count);
  static absl::StatusOr<std::string> Metrics();
  static absl::Status RestartProvider();

 private:
  static std::unique_ptr<Lab> lab_;
  static std::unique_ptr<ProviderProcess> provider_;
  static int metrics_port_;
};

// Manifests of a Secret with that clouds.yaml, and of a ProviderConfig that reads the Secret of its own name.
std::string SecretManifest(absl::string_view name, absl::string_view clouds_yaml);
std::string ConfigManifest(absl::string_view name);

// Rows of several objects that are to be alike.
Rows ForEach(const std::vector<std::string>& names, const Expected& expected);

// Whether an object's status has the shape that federations and GitOps tools rely on (rules 2 to 4, 6 to 9).
absl::Status CheckStatusShape(const rapidjson::Value& object);
// Whether the provider has written nothing of the object but what is its own: finalizers, its annotations, the status.
absl::Status CheckWritten(const rapidjson::Value& object);

}  // namespace kupen::test
