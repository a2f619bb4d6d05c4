#include "provider/access/credentials.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/openstack/clouds_yaml.h"

namespace kupen::access {
namespace {

using rapidjson::Value;

constexpr absl::string_view kDefaultKey = "clouds.yaml";
constexpr char kAuthorityKey[] = "cacert";

// spec.credentials.secretRef.namespace, checked.
absl::StatusOr<std::string> SecretNamespace(const ConfigRef& ref, const Value& spec) {
  const absl::string_view given = json::String(spec, {"credentials", "secretRef", "namespace"});
  if (ref.kind == kClusterProviderConfig) {
    if (given.empty()) return absl::InvalidArgumentError("spec.credentials.secretRef.namespace: give the Secret's namespace");
    return std::string(given);
  }
  if (!given.empty() && given != ref.ns) {
    return absl::InvalidArgumentError(absl::StrCat("spec.credentials.secretRef.namespace: is ", given,
                                                   ", but a ProviderConfig takes Secrets of its own namespace (", ref.ns,
                                                   ") only; a ClusterProviderConfig may name any"));
  }
  return ref.ns;
}

absl::StatusOr<NamespaceSelector> ParseSelector(const ConfigRef& ref, const Value& spec) {
  if (ref.kind != kClusterProviderConfig) return NamespaceSelector{.names = {ref.ns}};
  const Value* given = json::Find(spec, {"namespaceSelector"});
  if (given == nullptr || !given->IsObject()) {
    return absl::InvalidArgumentError("spec.namespaceSelector: say which namespaces it serves; {} is all of them");
  }
  NamespaceSelector selector;
  for (const Value& name : json::Array(*given, {"matchNames"})) selector.names.emplace(json::String(name));
  if (const Value* labels = json::Find(*given, {"matchLabels"}); labels != nullptr && labels->IsObject()) {
    for (const auto& label : labels->GetObject()) selector.labels.emplace(json::String(label.name), json::String(label.value));
  }
  return selector;
}

std::string KeysOf(const Value* data) {
  std::vector<std::string> keys;
  if (data != nullptr && data->IsObject()) {
    keys.reserve(data->MemberCount());
    for (const auto& member : data->GetObject()) keys.emplace_back(json::String(member.name));
  }
  return keys.empty() ? "no key" : absl::StrCat("the keys ", absl::StrJoin(keys, ", "));
}

// The decoded value of a key. NOT_FOUND says which keys there are.
absl::StatusOr<std::string> ValueOf(const Value& secret, const std::string& key) {
  const Value* data = json::Find(secret, {"data"});
  const Value* encoded = json::Find(secret, {"data", key});
  if (encoded == nullptr || !encoded->IsString()) {
    return absl::NotFoundError(absl::StrCat("has no key ", key, "; it has ", KeysOf(data)));
  }
  std::string text;
  if (!absl::Base64Unescape(json::String(*encoded), &text)) {
    return absl::InvalidArgumentError(absl::StrCat("key ", key, ": is not base64"));
  }
  return text;
}

absl::StatusOr<openstack::Cloud> ReadCloud(const ConfigSpec& spec, const Value& secret) {
  ASSIGN_OR_RETURN(const std::string clouds_yaml, ValueOf(secret, spec.secret_key));
  absl::StatusOr<openstack::Cloud> cloud = openstack::ParseCloudsYaml(clouds_yaml, spec.cloud);
  if (!cloud.ok()) return Annotate(cloud.status(), absl::StrCat("key ", spec.secret_key));
  absl::StatusOr<std::string> authority = ValueOf(secret, kAuthorityKey);
  if (authority.ok()) {
    if (!absl::StrContains(*authority, "-----BEGIN CERTIFICATE-----")) {
      return absl::InvalidArgumentError("key cacert: must hold certificates (-----BEGIN CERTIFICATE-----…)");
    }
    cloud->tls.ca_pem = *std::move(authority);
  } else if (!absl::IsNotFound(authority.status())) {
    return authority.status();
  }
  return cloud;
}

}  // namespace

absl::StatusOr<ConfigSpec> ParseConfig(const ConfigRef& ref, const Value& object) {
  const Value* spec = json::Find(object, {"spec"});
  if (spec == nullptr) return absl::InvalidArgumentError("spec: is missing");
  const absl::string_view source = json::String(*spec, {"credentials", "source"});
  if (!source.empty() && source != "Secret") {
    return absl::InvalidArgumentError(absl::StrCat("spec.credentials.source: is ", source, "; only Secret is possible"));
  }
  ConfigSpec result;
  result.secret.name = std::string(json::String(*spec, {"credentials", "secretRef", "name"}));
  if (result.secret.name.empty()) {
    return absl::InvalidArgumentError("spec.credentials.secretRef.name: name the Secret that holds the clouds.yaml");
  }
  ASSIGN_OR_RETURN(result.secret.ns, SecretNamespace(ref, *spec));
  ASSIGN_OR_RETURN(result.namespaces, ParseSelector(ref, *spec));
  result.secret_key = std::string(json::String(*spec, {"credentials", "secretRef", "key"}));
  if (result.secret_key.empty()) result.secret_key = std::string(kDefaultKey);
  result.cloud = std::string(json::String(*spec, {"credentials", "cloud"}));
  result.region = std::string(json::String(*spec, {"region"}));
  result.interface = std::string(json::String(*spec, {"interface"}));
  return result;
}

absl::StatusOr<openstack::Cloud> CloudOf(const ConfigSpec& spec, const Value& secret) {
  absl::StatusOr<openstack::Cloud> cloud = ReadCloud(spec, secret);
  if (!cloud.ok()) return Annotate(cloud.status(), absl::StrCat("Secret ", spec.secret.ToString()));
  if (!spec.region.empty()) cloud->region = spec.region;
  if (!spec.interface.empty()) cloud->interface = spec.interface;
  return cloud;
}

}  // namespace kupen::access
