#include "test/lab/lab.h"

#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/http/client.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"

namespace kupen::test {
namespace {

// How often to look whether it is so.
constexpr absl::Duration kLook = absl::Milliseconds(200);

absl::Status InstallCrds() {
  const std::string crds = absl::StrCat("--filename=", KUPEN_CRDS);
  RETURN_IF_ERROR(Kubectl({"apply", "--server-side", crds}).status());
  return Kubectl({"wait", "--for=condition=Established", "--timeout=60s", crds}).status();
}

// As its object in Kubernetes is called.
std::string NameOf(absl::string_view collection, const rapidjson::Value& object) {
  const absl::string_view name = json::String(object, {"name"});
  // Key pairs end in a piece of the object's UID.
  return std::string(absl::StrContains(collection, "keypairs") ? name.substr(0, name.rfind('-')) : name);
}

}  // namespace

Lab::Lab(SimulatorOptions cloud) : cloud_(std::move(cloud)) {
  options_.program = KUPEN_CRASHING_PROVIDER;
  options_.log = absl::StrCat(testing::TempDir(), ns(), ".log");
  status_ = InstallCrds();
  if (!status_.ok()) return;
  status_ = Apply(absl::StrCat(R"(
apiVersion: v1
kind: Secret
metadata: {name: cloud, namespace: $NS}
data: {clouds.yaml: )",
                               absl::Base64Escape(cloud_.CloudsYaml()), R"(}
---
apiVersion: m.kupenstack.io/v1alpha1
kind: ProviderConfig
metadata: {name: mine, namespace: $NS}
spec: {credentials: {source: Secret, secretRef: {name: cloud}, cloud: admin}}
)"));
}

Lab::~Lab() {
  if (testing::Test::HasFailure()) std::cerr << "the provider's log:\n" << Log() << "\n";
  // A test that failed may leave objects that only a provider can let go.
  cloud_.SetFaults({});
  options_.environment.clear();
  options_.arguments.clear();
  const absl::StatusOr<ProviderProcess> provider = Start();
  EXPECT_TRUE(Kubectl({"delete", "namespace", ns(), "--timeout=100s"}).ok());
}

std::string Lab::Filled(absl::string_view manifests) const {
  return absl::StrReplaceAll(manifests, {{"$NS", ns()}, {"$CONFIG", "providerConfigRef: {kind: ProviderConfig, name: mine}"}});
}

absl::Status Lab::Apply(absl::string_view manifests) const { return test::Apply(Filled(manifests)); }

absl::StatusOr<std::string> Lab::Run(std::vector<std::string> arguments) const {
  arguments.push_back(absl::StrCat("--namespace=", ns()));
  return Kubectl(std::move(arguments));
}

absl::StatusOr<rapidjson::Document> Lab::Objects() const { return GetJson({"managed", absl::StrCat("--namespace=", ns())}); }

absl::Status Lab::AllReady(int count) const {
  ASSIGN_OR_RETURN(const rapidjson::Document objects, Objects());
  int ready = 0;
  std::string others;
  for (const rapidjson::Value& object : json::Array(objects, {"items"})) {
    const bool is_ready = kube::IsTrue(object, "Ready") && kube::IsTrue(object, "Synced");
    ready += is_ready ? 1 : 0;
    if (is_ready) continue;
    const rapidjson::Value* conditions = json::Find(object, {"status", "conditions"});
    absl::StrAppend(&others, "\n", json::String(object, {"metadata", "name"}), ": ",
                    conditions == nullptr ? "no conditions" : json::Write(*conditions));
  }
  if (ready == count && others.empty()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(ready, " of ", count, " are ready:", others));
}

absl::Status Lab::AllGone() const {
  ASSIGN_OR_RETURN(const rapidjson::Document objects, Objects());
  const int left = static_cast<int>(json::Array(objects, {"items"}).Size());
  return left == 0 ? absl::OkStatus() : absl::UnavailableError(absl::StrCat(left, " objects are left"));
}

absl::StatusOr<std::multiset<std::string>> Lab::CloudObjects() const {
  ASSIGN_OR_RETURN(const std::unique_ptr<http::Client> client, http::Client::Create({.base_url = cloud_.url()}));
  ASSIGN_OR_RETURN(const http::Response answer, client->Send({.target = "/simulator/objects"}, {}));
  ASSIGN_OR_RETURN(const rapidjson::Document collections, json::Parse(answer.body));
  std::multiset<std::string> names;
  for (const auto& collection : collections.GetObject()) {
    // What the cloud makes by itself for a machine or a project.
    const absl::string_view place = json::String(collection.name);
    if (place == "network/ports" || place == "network/security_groups") continue;
    for (const rapidjson::Value& object : collection.value.GetArray()) {
      if (json::String(object, {"status"}) != "DELETED") names.insert(NameOf(place, object));
    }
  }
  return names;
}

absl::Status Lab::RunUntil(absl::Duration limit, const std::function<absl::Status()>& is_so) {
  const absl::Time deadline = absl::Now() + limit;
  absl::Status last = absl::UnavailableError("never looked");
  while (absl::Now() < deadline) {
    ASSIGN_OR_RETURN(ProviderProcess provider, Start());
    std::optional<int> ended;
    while (!ended.has_value() && absl::Now() < deadline) {
      last = is_so();
      if (last.ok()) return last;
      ended = provider.AwaitEnd(kLook);
    }
    if (ended == 0) return absl::InternalError(absl::StrCat("the provider ended by itself:\n", Log()));
    if (ended.has_value()) ++deaths_;
  }
  return Annotate(last, absl::StrCat("not so after ", absl::FormatDuration(limit)));
}

std::string Lab::Log() const {
  std::ostringstream text;
  text << std::ifstream(options_.log).rdbuf();
  return text.str();
}

}  // namespace kupen::test
