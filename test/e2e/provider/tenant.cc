#include "test/e2e/provider/tenant.h"

#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "openssl/sha.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/support/subprocess.h"

namespace kupen::test {
namespace {

constexpr size_t kImageBytes = 3 << 20;

std::string ImageData() {
  std::string data(kImageBytes, '\0');
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>((i * 2654435761U) >> 13U);
  return data;
}

std::string Sha256(const std::string& data) {
  std::string sum(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(data.data()), data.size(), reinterpret_cast<unsigned char*>(sum.data()));
  return absl::BytesToHexString(sum);
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

std::string FullName(absl::string_view object) {
  static const auto* const kGroups =
      new std::map<std::string, std::string>{{"network", "network"}, {"subnet", "network"}, {"keypair", "compute"},
                                             {"flavor", "compute"},  {"image", "image"},    {"virtualmachine", "compute"}};
  const std::pair<std::string, std::string> parts = absl::StrSplit(object, absl::MaxSplits('/', 1));
  const auto group = kGroups->find(parts.first);
  return absl::StrCat(parts.first, ".", group == kGroups->end() ? "" : absl::StrCat(group->second, "."), "m.kupenstack.io/",
                      parts.second);
}

absl::StatusOr<std::string> OpenStack(absl::string_view cloud, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"openstack", absl::StrCat("--os-cloud=", cloud)});
  return RunProgram(arguments);
}

Tenant::Tenant(absl::string_view cloud) : namespace_("tenant") {
  const std::string data = ImageData();
  image_sum_ = Sha256(data);
  absl::StatusOr<std::unique_ptr<http::Server>> images =
      http::Server::Start({.address = ClusterVariable("KUPENSTACK_IP"),
                           .routes = {{"/disk.img", [data](const http::Request&) {
                                         return http::Response{.status = 200, .headers = {}, .body = data};
                                       }}}});
  if (!images.ok()) {
    status_ = images.status();
    return;
  }
  images_ = *std::move(images);
  const std::string clouds = ReadFile(ClusterVariable("OS_CLIENT_CONFIG_FILE"));
  status_ = Apply(absl::StrCat(R"(
apiVersion: v1
kind: Secret
metadata: {name: cloud, namespace: $NS}
data: {clouds.yaml: )",
                               absl::Base64Escape(clouds), R"(}
---
apiVersion: m.kupenstack.io/v1alpha1
kind: ProviderConfig
metadata: {name: mine, namespace: $NS}
spec: {credentials: {source: Secret, secretRef: {name: cloud}, cloud: )",
                               cloud, "}}\n"));
}

Tenant::~Tenant() {
  // The machines first: what they use is kept until they are gone.
  EXPECT_TRUE(Run({"delete", "managed", "--all", "--timeout=120s", "--ignore-not-found"}).ok());
}

std::string Tenant::Filled(absl::string_view manifests) const {
  const std::string port = images_ == nullptr ? "0" : absl::StrCat(images_->port());
  return absl::StrReplaceAll(manifests,
                             {{"$NS", ns()},
                              {"$CONFIG", "providerConfigRef: {kind: ProviderConfig, name: mine}"},
                              {"$IMAGE", absl::StrCat("http://", ClusterVariable("KUPENSTACK_IP"), ":", port, "/disk.img")},
                              {"$SUM", image_sum_}});
}

absl::Status Tenant::Apply(absl::string_view manifests) const { return test::Apply(Filled(manifests)); }

absl::StatusOr<std::string> Tenant::Run(std::vector<std::string> arguments) const {
  arguments.push_back(absl::StrCat("--namespace=", ns()));
  return Kubectl(std::move(arguments));
}

absl::StatusOr<rapidjson::Document> Tenant::Get(absl::string_view object) const {
  return GetJson({FullName(object), absl::StrCat("--namespace=", ns())});
}

absl::Status Tenant::AwaitReady(const std::vector<std::string>& objects, absl::Duration limit) const {
  for (const std::string& object : objects) RETURN_IF_ERROR(AwaitCondition(object, "Ready", "True Available", limit));
  return absl::OkStatus();
}

absl::StatusOr<std::string> Tenant::Condition(absl::string_view object, absl::string_view type) const {
  ASSIGN_OR_RETURN(const rapidjson::Document document, Get(object));
  for (const rapidjson::Value& condition : json::Array(document, {"status", "conditions"})) {
    if (json::String(condition, {"type"}) != type) continue;
    return absl::StrCat(json::String(condition, {"status"}), " ", json::String(condition, {"reason"}), " ",
                        json::String(condition, {"message"}));
  }
  return absl::NotFoundError(absl::StrCat(object, " has no condition ", type, ": ", json::Write(document)));
}

absl::Status Tenant::AwaitCondition(absl::string_view object, absl::string_view type, absl::string_view part,
                                    absl::Duration limit) const {
  const absl::Status status = Eventually(limit, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::string condition, Condition(object, type));
    return Contains(condition, part);
  });
  if (status.ok()) return status;
  return Annotate(status, absl::StrCat(object, "\n", Run({"describe", FullName(object)}).value_or("")));
}

absl::StatusOr<std::string> Tenant::ExternalName(absl::string_view object) const {
  ASSIGN_OR_RETURN(const rapidjson::Document document, Get(object));
  return std::string(json::String(document, {"metadata", "annotations", "crossplane.io/external-name"}));
}

}  // namespace kupen::test
