#include "test/lab/contract.h"

#include <iostream>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "provider/base/status.h"
#include "provider/http/client.h"
#include "provider/http/server.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"

namespace kupen::test {
namespace {

using rapidjson::Value;

constexpr absl::string_view kFinalizer = "finalizer.managedresource.crossplane.io";
constexpr absl::string_view kSomebody = "somebody-else";
constexpr const char* kCollections[] = {kNetworks, "network/subnets", "compute/flavors", "compute/servers"};

std::string GroupOf(absl::string_view kind) {
  return absl::StrCat(kind == "Network" || kind == "Subnet" ? "network"
                      : kind == "Image"                     ? "image"
                                                            : "compute",
                      ".m.kupenstack.io");
}

std::string Manifest(const Given& given) {
  return absl::Substitute(R"(
apiVersion: $0/v1alpha1
kind: $1
metadata: {$2 name: $3, namespace: $$NS}
spec: {$4 providerConfigRef: {kind: ProviderConfig, name: $5}, forProvider: {$6}}
---)",
                          GroupOf(given.kind), given.kind, given.metadata, given.name, given.spec, given.config,
                          given.parameters);
}

// networks.network.m.kupenstack.io/blue
std::string FullName(absl::string_view kind, absl::string_view name) {
  return absl::StrCat(kind, ".", GroupOf(kind), "/", name);
}

absl::Status Differs(absl::string_view what, absl::string_view is, absl::string_view expected) {
  return absl::UnavailableError(absl::StrCat(what, " is \"", is, "\", not \"", expected, "\""));
}

bool IsHeld(const Value& object) {
  return absl::c_any_of(json::Array(object, {"metadata", "finalizers"}),
                        [](const Value& finalizer) { return json::String(finalizer) == kFinalizer; });
}

std::string ReasonOf(const Value& event) {
  return absl::StrCat(json::String(event, {"type"}), " ", json::String(event, {"reason"}));
}

// A port that nobody has at the moment.
int FreePort() {
  const absl::StatusOr<std::unique_ptr<http::Server>> server = http::Server::Start({.routes = {}});
  return server.ok() ? (*server)->port() : 0;
}

absl::StatusOr<http::Response> Send(const std::string& url, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::unique_ptr<http::Client> client,
                   http::Client::Create({.base_url = url, .user_agent = std::string(kSomebody)}));
  ASSIGN_OR_RETURN(http::Response response, client->Send(request, {}));
  if (response.status < 300) return response;
  return absl::InternalError(absl::StrCat(request.target, ": ", response.status, " ", response.body));
}

}  // namespace

Expected Ready() {
  return {.conditions = {{"Ready", "True Available"},
                         {"Synced", "True ReconcileSuccess"},
                         {"Reconciling", "False Settled"},
                         {"Stalled", "False Settled"}},
          .held = true,
          .cloud = InCloud::kThere};
}

Expected ReadyWith(std::string cloud_has) {
  Expected expected = Ready();
  expected.cloud_has = std::move(cloud_has);
  return expected;
}

Expected Gone() { return {.gone = true, .cloud = InCloud::kAbsent}; }
Expected Orphaned() { return {.gone = true, .no_events = {"Normal DeletedExternalResource"}, .cloud = InCloud::kThere}; }

std::string SecretManifest(absl::string_view name, absl::string_view clouds_yaml) {
  return absl::Substitute("apiVersion: v1\nkind: Secret\nmetadata: {name: $0, namespace: $$NS}\ndata: {clouds.yaml: $1}\n---\n",
                          name, absl::Base64Escape(clouds_yaml));
}

std::string ConfigManifest(absl::string_view name) {
  return absl::Substitute(R"(
apiVersion: m.kupenstack.io/v1alpha1
kind: ProviderConfig
metadata: {name: $0, namespace: $$NS}
spec: {credentials: {source: Secret, secretRef: {name: $0}, cloud: admin}}
---
)",
                          name);
}

absl::StatusOr<View> View::Of(Lab& lab) {
  View view;
  ASSIGN_OR_RETURN(const std::string text, lab.Run({"get", "managed,events,secrets,providerconfigs.m.kupenstack.io",
                                                    "--output=json", "--show-managed-fields"}));
  ASSIGN_OR_RETURN(view.list_, json::Parse(text));
  for (const Value& item : json::Array(view.list_, {"items"})) {
    const std::string name(json::String(item, {"metadata", "name"}));
    const absl::string_view kind = json::String(item, {"kind"});
    if (kind == "Event") {
      view.events_.emplace(json::String(item, {"involvedObject", "name"}), &item);
    } else if (absl::EndsWith(kind, "Config") || kind == "Secret") {
      view.others_.emplace(absl::StrCat(kind, "/", name), &item);
    } else {
      view.objects_.emplace(name, &item);
    }
  }
  for (const char* collection : kCollections) {
    lab.cloud().ForEachObject(collection, [&view](const Value& body) {
      if (json::String(body, {"status"}) == "DELETED") return;
      rapidjson::Document copy;
      copy.CopyFrom(body, copy.GetAllocator());
      view.cloud_.emplace(json::String(body, {"name"}), std::move(copy));
    });
  }
  return view;
}

const Value* View::Find(absl::string_view name) const {
  const auto found = objects_.find(name);
  return found == objects_.end() ? nullptr : found->second;
}

const Value* View::FindOther(absl::string_view kind_and_name) const {
  const auto found = others_.find(kind_and_name);
  return found == others_.end() ? nullptr : found->second;
}

const Value* View::FindInCloud(absl::string_view name) const {
  const auto found = cloud_.find(name);
  return found == cloud_.end() ? nullptr : &found->second;
}

std::string View::Condition(absl::string_view name, absl::string_view type) const {
  const Value* object = Find(name);
  const Value* condition = object == nullptr ? nullptr : kube::FindCondition(*object, type);
  if (condition == nullptr) return "";
  return absl::StrCat(json::String(*condition, {"status"}), " ", json::String(*condition, {"reason"}));
}

std::string View::Message(absl::string_view name, absl::string_view type) const {
  const Value* object = Find(name);
  const Value* condition = object == nullptr ? nullptr : kube::FindCondition(*object, type);
  return condition == nullptr ? "" : std::string(json::String(*condition, {"message"}));
}

std::vector<const Value*> View::Events(absl::string_view name) const {
  std::vector<const Value*> events;
  const auto range = events_.equal_range(name);
  for (auto event = range.first; event != range.second; ++event) events.push_back(event->second);
  return events;
}

absl::Status View::MatchesInKubernetes(const std::string& name, const Expected& expected) const {
  std::set<std::string> events;
  for (const Value* event : Events(name)) events.insert(ReasonOf(*event));
  for (const std::string& event : expected.events) {
    if (!events.contains(event)) return Differs("events", absl::StrJoin(events, ", "), event);
  }
  for (const std::string& event : expected.no_events) {
    if (events.contains(event)) return Differs("events", absl::StrJoin(events, ", "), absl::StrCat("without ", event));
  }
  const Value* object = Find(name);
  if (expected.gone) return object == nullptr ? absl::OkStatus() : absl::UnavailableError("is still there");
  if (object == nullptr) return absl::UnavailableError("is not there");
  for (const auto& [type, wanted] : expected.conditions) {
    if (const std::string is = Condition(name, type); is != wanted) {
      return Differs(type, absl::StrCat(is, " ", Message(name, type)), wanted);
    }
  }
  for (const std::string& part : expected.says) RETURN_IF_ERROR(Contains(Message(name, "Synced"), part));
  if (expected.held.has_value() && IsHeld(*object) != *expected.held) {
    return absl::UnavailableError(*expected.held ? "has no finalizer of ours" : "has our finalizer");
  }
  if (!expected.conditions.empty()) RETURN_IF_ERROR(CheckStatusShape(*object));
  return CheckWritten(*object);
}

absl::Status View::MatchesInCloud(const std::string& name, const Expected& expected) const {
  const Value* in_cloud = FindInCloud(name);
  if (cloud_.count(name) > 1) return absl::FailedPreconditionError("is in the cloud twice");
  if (expected.cloud == InCloud::kAbsent && in_cloud != nullptr) return absl::UnavailableError("is in the cloud");
  if (expected.cloud == InCloud::kThere && in_cloud == nullptr) return absl::UnavailableError("is not in the cloud");
  if (in_cloud == nullptr) return absl::OkStatus();
  if (const Value* object = Find(name); object != nullptr && expected.cloud == InCloud::kThere) {
    const absl::string_view id = json::String(*object, {"metadata", "annotations", "crossplane.io/external-name"});
    if (id != json::String(*in_cloud, {"id"})) return Differs("external-name", id, json::String(*in_cloud, {"id"}));
  }
  return Contains(json::Write(*in_cloud), expected.cloud_has);
}

absl::Status View::Matches(const std::string& name, const Expected& expected) const {
  RETURN_IF_ERROR(MatchesInKubernetes(name, expected));
  return MatchesInCloud(name, expected);
}

std::unique_ptr<Lab> Contract::lab_;
std::unique_ptr<ProviderProcess> Contract::provider_;
int Contract::metrics_port_ = 0;

void Contract::SetUpTestSuite() {
  lab_ = std::make_unique<Lab>();
  metrics_port_ = FreePort();
  lab_->arguments() = {absl::StrCat("--metrics-address=127.0.0.1:", metrics_port_), "--poll-state-metric=1s"};
  if (!lab_->status().ok()) return;
  const absl::Status started = RestartProvider();
  EXPECT_TRUE(started.ok()) << started;
}

void Contract::TearDownTestSuite() {
  provider_ = nullptr;
  lab_ = nullptr;
}

void Contract::SetUp() {
  ASSERT_OK(lab().status());
  lab().cloud().ResetRequests();
}

void Contract::TearDown() {
  lab().cloud().SetFaults({});
  if (HasFailure()) std::cerr << "the provider's log:\n" << lab().Log() << "\n";
}

absl::Status Contract::RestartProvider() {
  provider_ = nullptr;
  ASSIGN_OR_RETURN(ProviderProcess started, lab().Start());
  provider_ = std::make_unique<ProviderProcess>(std::move(started));
  return absl::OkStatus();
}

absl::Status Contract::Give(const std::vector<Given>& objects) {
  std::string manifests;
  for (const Given& given : objects) absl::StrAppend(&manifests, Manifest(given));
  return lab().Apply(manifests);
}

absl::Status Contract::Await(const Rows& rows) {
  return Eventually(kSoon, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const View view, View::Of(lab()));
    std::string wrong;
    for (const auto& [name, expected] : rows) {
      const absl::Status matches = view.Matches(name, expected);
      if (!matches.ok()) absl::StrAppend(&wrong, "\n  ", name, ": ", matches.message());
    }
    return wrong.empty() ? absl::OkStatus() : absl::UnavailableError(wrong);
  });
}

absl::Status Contract::Delete(const std::vector<std::string>& names, absl::string_view kind) {
  std::vector<std::string> arguments = {"delete", "--wait=false"};
  for (const std::string& name : names) arguments.push_back(FullName(kind, name));
  return lab().Run(arguments).status();
}

absl::Status Contract::Annotate(const std::vector<std::string>& names, absl::string_view annotation) {
  std::vector<std::string> arguments = {"annotate", "--overwrite"};
  for (const std::string& name : names) arguments.push_back(FullName("Network", name));
  arguments.emplace_back(annotation);
  return lab().Run(arguments).status();
}

absl::Status Contract::PatchNetwork(const std::string& name, absl::string_view patch) {
  return lab().Run({"patch", FullName("Network", name), "--type=merge", absl::StrCat("--patch=", patch)}).status();
}

absl::StatusOr<std::string> Contract::IdOf(const std::string& name) {
  ASSIGN_OR_RETURN(const View view, View::Of(lab()));
  const Value* object = view.Find(name);
  if (object == nullptr) return absl::NotFoundError(name);
  return std::string(json::String(*object, {"metadata", "annotations", "crossplane.io/external-name"}));
}

absl::StatusOr<std::string> Contract::MakeForeign(const std::string& name, absl::string_view description) {
  ASSIGN_OR_RETURN(
      const http::Response login,
      Send(lab().cloud().url(),
           {.method = "POST", .target = "/identity/v3/auth/tokens", .body = R"({"auth":{"identity":{"methods":["password"],
      "password":{"user":{"name":"admin","domain":{"name":"Default"},"password":"admin"}}},
      "scope":{"project":{"name":"admin","domain":{"name":"Default"}}}}})"}));
  const std::string token(http::Find(login.headers, "X-Subject-Token"));
  ASSIGN_OR_RETURN(
      const http::Response made,
      Send(lab().cloud().url(),
           {.method = "POST",
            .target = "/network/v2.0/networks",
            .headers = {{"X-Auth-Token", token}},
            .body = absl::Substitute(R"({"network":{"name":"$0","description":"$1","mtu":1400}})", name, description)}));
  ASSIGN_OR_RETURN(const rapidjson::Document body, json::Parse(made.body));
  return std::string(json::String(body, {"network", "id"}));
}

int Contract::CountRequests(absl::string_view method, absl::string_view path_end) {
  int count = 0;
  for (const RequestCount& request : lab().cloud().Requests()) {
    if (request.agent == kSomebody || request.method != method || !absl::EndsWith(request.path, path_end)) continue;
    count += request.count;
  }
  return count;
}

absl::Status Contract::AwaitLists(int count) {
  const int before = CountRequests("GET", "/networks");
  return Eventually(kSoon, [&]() -> absl::Status {
    const int now = CountRequests("GET", "/networks");
    return now - before >= count ? absl::OkStatus() : absl::UnavailableError(absl::StrCat(now - before, " lists"));
  });
}

absl::StatusOr<std::string> Contract::Metrics() {
  ASSIGN_OR_RETURN(http::Response answer, Send(absl::StrCat("http://127.0.0.1:", metrics_port_), {.target = "/metrics"}));
  return std::move(answer.body);
}

Rows ForEach(const std::vector<std::string>& names, const Expected& expected) {
  Rows rows;
  for (const std::string& name : names) rows.emplace_back(name, expected);
  return rows;
}

}  // namespace kupen::test
