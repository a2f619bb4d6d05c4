#include "provider/openstack/clouds_yaml.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "provider/base/status.h"
#include "provider/http/url.h"
#include "provider/openstack/service.h"
#include "provider/yaml/yaml.h"

namespace kupen::openstack {
namespace {

using Settings = std::map<std::string, std::string>;

template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

const std::string& Get(const Settings& settings, const std::string& key) {
  static const auto* const kEmpty = new std::string;
  const auto found = settings.find(key);
  return found == settings.end() ? *kEmpty : found->second;
}

std::string Normalized(absl::string_view key) { return absl::StrReplaceAll(key, {{"-", "_"}}); }

// The members of a mapping; of a key that is there twice the last, as in Python.
std::map<std::string, YAML::Node> Members(const YAML::Node& mapping) {
  std::map<std::string, YAML::Node> members;
  for (const auto& member : mapping) {
    if (member.first.IsScalar()) members.insert_or_assign(Normalized(member.first.Scalar()), member.second);
  }
  return members;
}

Settings Scalars(const std::map<std::string, YAML::Node>& members) {
  Settings scalars;
  for (const auto& [key, value] : members) {
    if (value.IsScalar() && !value.Scalar().empty()) scalars.emplace(key, value.Scalar());
  }
  return scalars;
}

absl::StatusOr<std::pair<std::string, YAML::Node>> ChooseCloud(const YAML::Node& root, absl::string_view name) {
  if (!root.IsMap()) return Invalid("the top of the text must be a mapping with the key clouds");
  const YAML::Node all = root["clouds"];
  if (!all.IsDefined() || !all.IsMap()) return Invalid("clouds: must be a mapping from names to clouds");
  std::vector<std::string> names;
  for (const auto& member : all) {
    if (!member.first.IsScalar()) continue;
    names.push_back(member.first.Scalar());
  }
  if (names.empty()) return Invalid("clouds: is empty");
  if (name.empty() && names.size() > 1) {
    return Invalid("clouds: has several clouds (", absl::StrJoin(names, ", "), "): name the one to use");
  }
  const std::string chosen = name.empty() ? names.front() : std::string(name);
  if (std::find(names.begin(), names.end(), chosen) == names.end()) {
    return Invalid("clouds: has no cloud \"", chosen, "\"; there are: ", absl::StrJoin(names, ", "));
  }
  if (!all[chosen].IsMap()) return Invalid("clouds.", chosen, ": must be a mapping");
  return std::make_pair(chosen, all[chosen]);
}

const std::vector<std::string>& AuthKeys() {
  static const auto* const kKeys = new std::vector<std::string>{"auth_url",
                                                                "username",
                                                                "user_id",
                                                                "password",
                                                                "user_domain_id",
                                                                "user_domain_name",
                                                                "project_id",
                                                                "project_name",
                                                                "project_domain_id",
                                                                "project_domain_name",
                                                                "domain_id",
                                                                "domain_name",
                                                                "default_domain_id",
                                                                "default_domain_name",
                                                                "system_scope",
                                                                "application_credential_id",
                                                                "application_credential_name",
                                                                "application_credential_secret",
                                                                "token"};
  return *kKeys;
}

// Older names of keys, as openstacksdk and keystoneauth still take them.
std::string CurrentName(const std::string& key) {
  static const auto* const kOlder = new std::map<std::string, std::string>{
      {"tenant_id", "project_id"}, {"tenant_name", "project_name"}, {"user_name", "username"}, {"auth_token", "token"}};
  const auto found = kOlder->find(key);
  return found == kOlder->end() ? key : found->second;
}

// The keys of `auth`, and those that openstacksdk also takes beside it.
absl::StatusOr<Settings> AuthSettings(const std::map<std::string, YAML::Node>& cloud) {
  const auto found = cloud.find("auth");
  if (found == cloud.end() || !found->second.IsMap()) return Invalid("auth: must be a mapping with auth_url and credentials");
  Settings auth;
  for (const auto& [key, value] : Members(found->second)) {
    const std::string name = CurrentName(key);
    if (std::find(AuthKeys().begin(), AuthKeys().end(), name) == AuthKeys().end()) {
      return Invalid("auth.", key, ": unknown; known are ", absl::StrJoin(AuthKeys(), ", "));
    }
    if (value.IsMap() || value.IsSequence()) return Invalid("auth.", key, ": must be text");
    if (value.IsScalar() && !value.Scalar().empty()) auth.insert_or_assign(name, value.Scalar());
  }
  for (const auto& [key, value] : Scalars(cloud)) {
    const std::string name = CurrentName(key);
    const bool taken = absl::StrContains(name, "project_") || absl::StrContains(name, "domain_") || name == "token";
    const bool known = std::find(AuthKeys().begin(), AuthKeys().end(), name) != AuthKeys().end();
    if (taken && known) auth.emplace(name, value);
  }
  return auth;
}

absl::StatusOr<AuthMethod> Method(const std::string& auth_type, const Settings& auth) {
  if (auth_type == "password" || auth_type == "v3password") return AuthMethod::kPassword;
  if (auth_type == "v3applicationcredential") return AuthMethod::kApplicationCredential;
  if (auth_type == "token" || auth_type == "v3token") return AuthMethod::kToken;
  if (!auth_type.empty()) return Invalid("auth_type: must be password, v3applicationcredential or token");
  if (auth.contains("application_credential_id") || auth.contains("application_credential_name")) {
    return AuthMethod::kApplicationCredential;
  }
  return auth.contains("token") && !auth.contains("password") ? AuthMethod::kToken : AuthMethod::kPassword;
}

// A domain may be given for the user or project, for both, or as the default.
Principal ReadPrincipal(const Settings& auth, const std::string& id_key, const std::string& name_key,
                        const std::string& domain_prefix, bool shared_domain) {
  Principal principal{.id = Get(auth, id_key), .name = Get(auth, name_key), .domain_id = "", .domain_name = ""};
  std::vector<std::string> prefixes = {domain_prefix, "default_domain"};
  if (shared_domain) prefixes.insert(prefixes.begin() + 1, "domain");
  for (const std::string& prefix : prefixes) {
    principal.domain_id = Get(auth, prefix + "_id");
    principal.domain_name = Get(auth, prefix + "_name");
    if (!principal.domain_id.empty() || !principal.domain_name.empty()) break;
  }
  return principal;
}

absl::Status CheckDomain(const Principal& principal, absl::string_view name_key, absl::string_view domain_prefix) {
  if (!principal.id.empty() || !principal.domain_id.empty() || !principal.domain_name.empty()) return absl::OkStatus();
  return Invalid("auth.", domain_prefix, "_name: is missing; ", name_key, " is unique only within a domain, so give ",
                 domain_prefix, "_name or ", domain_prefix, "_id");
}

absl::StatusOr<std::string> Required(const Settings& auth, const std::string& key, absl::string_view why) {
  if (!auth.contains(key)) return Invalid("auth.", key, ": is missing; ", why, " needs it");
  return Get(auth, key);
}

absl::Status CheckUser(const Principal& user, absl::string_view why) {
  if (user.empty()) return Invalid("auth.username: is missing; ", why, " needs username or user_id");
  return CheckDomain(user, "username", "user_domain");
}

absl::StatusOr<Credentials> ReadCredentials(const std::string& auth_type, const Settings& auth, bool project_scoped) {
  Credentials credentials;
  ASSIGN_OR_RETURN(credentials.method, Method(auth_type, auth));
  credentials.user = ReadPrincipal(auth, "user_id", "username", "user_domain", project_scoped);
  switch (credentials.method) {
    case AuthMethod::kPassword: {
      RETURN_IF_ERROR(CheckUser(credentials.user, "auth_type password"));
      ASSIGN_OR_RETURN(credentials.secret, Required(auth, "password", "auth_type password"));
      break;
    }
    case AuthMethod::kApplicationCredential: {
      credentials.application_credential_id = Get(auth, "application_credential_id");
      credentials.application_credential_name = Get(auth, "application_credential_name");
      if (credentials.application_credential_id.empty()) {
        RETURN_IF_ERROR(
            Required(auth, "application_credential_name", "without application_credential_id, this auth_type").status());
        RETURN_IF_ERROR(CheckUser(credentials.user, "application_credential_name"));
      }
      ASSIGN_OR_RETURN(credentials.secret, Required(auth, "application_credential_secret", "an application credential"));
      break;
    }
    case AuthMethod::kToken: {
      ASSIGN_OR_RETURN(credentials.secret, Required(auth, "token", "auth_type token"));
      break;
    }
  }
  return credentials;
}

absl::StatusOr<Scope> ReadScope(const Settings& auth, AuthMethod method) {
  Scope scope;
  scope.project = ReadPrincipal(auth, "project_id", "project_name", "project_domain", /*shared_domain=*/true);
  scope.system = auth.contains("system_scope");
  if (scope.system && Get(auth, "system_scope") != "all") return Invalid("auth.system_scope: must be all");
  if (scope.system && !scope.project.empty()) {
    return Invalid("auth.system_scope: cannot stand beside a project; a token is for one of them");
  }
  if (method == AuthMethod::kApplicationCredential) {
    if (scope.system || !scope.project.empty()) {
      return Invalid("auth: an application credential belongs to one project already; leave out project and system_scope");
    }
    return Scope();
  }
  if (!scope.project.empty()) {
    RETURN_IF_ERROR(CheckDomain(scope.project, "project_name", "project_domain"));
    return scope;
  }
  scope.project = Principal();
  if (scope.system) return scope;
  scope.domain_id = Get(auth, "domain_id");
  scope.domain_name = Get(auth, "domain_name");
  return scope;
}

// Keystone serves v3 below whatever its root is, so appending needs no question to it, and the password goes to no other host
// than the one the user named.
absl::StatusOr<std::string> ReadAuthUrl(const Settings& auth) {
  ASSIGN_OR_RETURN(std::string url, Required(auth, "auth_url", "every cloud"));
  if (const absl::Status valid = http::ParseUrl(url).status(); !valid.ok()) return Invalid("auth.auth_url: ", valid.message());
  while (absl::EndsWith(url, "/")) url.pop_back();
  if (absl::EndsWith(url, "/v2.0")) return Invalid("auth.auth_url: ends in /v2.0; only Identity v3 is supported (…/v3)");
  if (!absl::EndsWith(url, "/v3")) url += "/v3";
  return url;
}

absl::StatusOr<bool> ReadBool(const Settings& cloud, const std::string& key, bool fallback) {
  const std::string value = absl::AsciiStrToLower(Get(cloud, key));
  if (value.empty()) return fallback;
  if (value == "true" || value == "yes" || value == "on" || value == "1") return true;
  if (value == "false" || value == "no" || value == "off" || value == "0") return false;
  return Invalid(key, ": must be true or false");
}

absl::StatusOr<Tls> ReadTls(const Settings& cloud) {
  for (const std::string key : {"cert", "key"}) {
    if (cloud.contains(key)) return Invalid(key, ": client certificates are not supported; leave it out");
  }
  Tls tls;
  ASSIGN_OR_RETURN(const bool verify, ReadBool(cloud, "verify", true));
  ASSIGN_OR_RETURN(const bool insecure, ReadBool(cloud, "insecure", false));
  tls.verify = verify && !insecure;
  tls.ca_pem = Get(cloud, "cacert");
  if (!tls.ca_pem.empty() && !absl::StrContains(tls.ca_pem, "-----BEGIN CERTIFICATE-----")) {
    return Invalid("cacert: must hold the certificates themselves (-----BEGIN CERTIFICATE-----…); files are not read");
  }
  return tls;
}

absl::StatusOr<std::string> ReadInterface(const std::string& key, absl::string_view value) {
  value = absl::StripSuffix(value, "URL");
  if (value == "public" || value == "internal" || value == "admin") return std::string(value);
  return Invalid(key, ": must be public, internal or admin");
}

// region_name, or else the first of regions (text, or a mapping with a name).
absl::StatusOr<std::string> ReadRegion(const std::map<std::string, YAML::Node>& members, const Settings& cloud) {
  if (cloud.contains("region_name")) return Get(cloud, "region_name");
  const auto regions = members.find("regions");
  if (regions == members.end() || !regions->second.IsSequence() || regions->second.size() == 0) return std::string();
  const YAML::Node first = regions->second[0];
  if (first.IsScalar()) return first.Scalar();
  const Settings region = first.IsMap() ? Scalars(Members(first)) : Settings();
  if (!region.contains("name") || first["values"].IsDefined()) {
    return Invalid("regions: must be a list of names; settings per region are not supported, so give them beside region_name");
  }
  return Get(region, "name");
}

// <service>_<setting>, where the service goes by its official type or an alias, with underscores.
absl::StatusOr<std::map<std::string, ServiceSettings>> ReadServices(const Settings& cloud) {
  static const auto* const kFields = new std::vector<std::pair<absl::string_view, std::string ServiceSettings::*>>{
      {"_endpoint_override", &ServiceSettings::endpoint}, {"_default_microversion", &ServiceSettings::microversion},
      {"_endpoint_type", &ServiceSettings::interface},    {"_interface", &ServiceSettings::interface},
      {"_region_name", &ServiceSettings::region},
  };
  std::map<std::string, ServiceSettings> services;
  for (const auto& [key, value] : cloud) {
    for (const auto& [suffix, field] : *kFields) {
      absl::string_view service = key;
      if (!absl::ConsumeSuffix(&service, suffix) || service.empty()) continue;
      const std::string type(ServiceNamed(absl::StrReplaceAll(service, {{"_", "-"}})).type);
      services[type].*field = value;
      if (field == &ServiceSettings::interface) {
        ASSIGN_OR_RETURN(services[type].interface, ReadInterface(key, value));
      }
      break;
    }
  }
  return services;
}

absl::Status CheckUnsupported(const Settings& cloud) {
  for (const std::string key : {"profile", "cloud"}) {
    if (cloud.contains(key)) {
      return Invalid(key, ": vendor profiles are not supported; write out what the profile says (auth_url, region_name, …)");
    }
  }
  const std::string& version = Get(cloud, "identity_api_version");
  if (!version.empty() && !absl::StartsWith(version, "3")) return Invalid("identity_api_version: must be 3");
  return absl::OkStatus();
}

absl::StatusOr<Cloud> ReadCloud(const std::string& name, const YAML::Node& node) {
  const std::map<std::string, YAML::Node> members = Members(node);
  const Settings settings = Scalars(members);
  RETURN_IF_ERROR(CheckUnsupported(settings));
  ASSIGN_OR_RETURN(const Settings auth, AuthSettings(members));

  Cloud cloud;
  cloud.name = name;
  ASSIGN_OR_RETURN(cloud.auth_url, ReadAuthUrl(auth));
  const std::string& auth_type = Get(settings, settings.contains("auth_type") ? "auth_type" : "auth_plugin");
  const bool project_scoped = auth.contains("project_id") || auth.contains("project_name");
  ASSIGN_OR_RETURN(cloud.credentials, ReadCredentials(auth_type, auth, project_scoped));
  ASSIGN_OR_RETURN(cloud.scope, ReadScope(auth, cloud.credentials.method));
  ASSIGN_OR_RETURN(cloud.region, ReadRegion(members, settings));
  for (const std::string key : {"interface", "endpoint_type"}) {
    if (!settings.contains(key)) continue;
    ASSIGN_OR_RETURN(cloud.interface, ReadInterface(key, Get(settings, key)));
    break;
  }
  ASSIGN_OR_RETURN(cloud.tls, ReadTls(settings));
  ASSIGN_OR_RETURN(cloud.services, ReadServices(settings));
  return cloud;
}

}  // namespace

absl::StatusOr<Cloud> ParseCloudsYaml(absl::string_view text, absl::string_view name) {
  ASSIGN_OR_RETURN(const YAML::Node root, yaml::Load(text));
  ASSIGN_OR_RETURN(const auto chosen, ChooseCloud(root, name));
  absl::StatusOr<Cloud> cloud = ReadCloud(chosen.first, chosen.second);
  if (!cloud.ok()) return Annotate(cloud.status(), absl::StrCat("clouds.", chosen.first));
  return cloud;
}

}  // namespace kupen::openstack
