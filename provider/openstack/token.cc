#include "provider/openstack/token.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace kupen::openstack {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void Key(Writer& writer, absl::string_view name) { writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size())); }

void Text(Writer& writer, absl::string_view name, absl::string_view value) {
  Key(writer, name);
  writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void WriteDomain(Writer& writer, const std::string& id, const std::string& name) {
  Key(writer, "domain");
  writer.StartObject();
  id.empty() ? Text(writer, "name", name) : Text(writer, "id", id);
  writer.EndObject();
}

// The members of a user or project.
void WritePrincipal(Writer& writer, const Principal& principal) {
  if (!principal.id.empty()) return Text(writer, "id", principal.id);
  Text(writer, "name", principal.name);
  WriteDomain(writer, principal.domain_id, principal.domain_name);
}

void WriteUser(Writer& writer, const Principal& user, absl::string_view password) {
  Key(writer, "user");
  writer.StartObject();
  WritePrincipal(writer, user);
  if (!password.empty()) Text(writer, "password", password);
  writer.EndObject();
}

void WriteMethod(Writer& writer, const Credentials& credentials) {
  switch (credentials.method) {
    case AuthMethod::kPassword:
      WriteUser(writer, credentials.user, credentials.secret);
      break;
    case AuthMethod::kApplicationCredential:
      Text(writer, "secret", credentials.secret);
      if (!credentials.application_credential_id.empty()) return Text(writer, "id", credentials.application_credential_id);
      Text(writer, "name", credentials.application_credential_name);
      WriteUser(writer, credentials.user, "");
      break;
    case AuthMethod::kToken:
      Text(writer, "id", credentials.secret);
      break;
  }
}

absl::string_view MethodName(AuthMethod method) {
  switch (method) {
    case AuthMethod::kPassword:
      return "password";
    case AuthMethod::kApplicationCredential:
      return "application_credential";
    case AuthMethod::kToken:
      return "token";
  }
  return "";
}

void WriteIdentity(Writer& writer, const Credentials& credentials) {
  const absl::string_view method = MethodName(credentials.method);
  Key(writer, "identity");
  writer.StartObject();
  Key(writer, "methods");
  writer.StartArray();
  writer.String(method.data(), static_cast<rapidjson::SizeType>(method.size()));
  writer.EndArray();
  Key(writer, method);
  writer.StartObject();
  WriteMethod(writer, credentials);
  writer.EndObject();
  writer.EndObject();
}

void WriteScope(Writer& writer, const Scope& scope) {
  const bool domain = !scope.domain_id.empty() || !scope.domain_name.empty();
  if (scope.project.empty() && !domain && !scope.system) return;
  Key(writer, "scope");
  writer.StartObject();
  if (scope.system) {
    Key(writer, "system");
    writer.StartObject();
    Key(writer, "all");
    writer.Bool(true);
    writer.EndObject();
  } else if (domain) {
    WriteDomain(writer, scope.domain_id, scope.domain_name);
  } else {
    Key(writer, "project");
    writer.StartObject();
    WritePrincipal(writer, scope.project);
    writer.EndObject();
  }
  writer.EndObject();
}

absl::StatusOr<absl::Time> ParseTime(const rapidjson::Value& token, absl::string_view name) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, json::String(token, {name}), &time, &error)) {
    return absl::InternalError(absl::StrCat("keystone: the token's ", name, " is not a time: ", error));
  }
  return time;
}

std::vector<std::string> RolesOf(const rapidjson::Value& token) {
  std::vector<std::string> roles;
  for (const rapidjson::Value& role : json::Array(token, {"roles"})) roles.emplace_back(json::String(role, {"name"}));
  std::sort(roles.begin(), roles.end());
  return roles;
}

}  // namespace

std::string TokenRequestBody(const Credentials& credentials, const Scope& scope) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  Key(writer, "auth");
  writer.StartObject();
  WriteIdentity(writer, credentials);
  WriteScope(writer, scope);
  writer.EndObject();
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

absl::StatusOr<Token> ParseToken(const http::Response& response) {
  const absl::string_view value = http::Find(response.headers, "X-Subject-Token");
  const absl::StatusOr<rapidjson::Document> body = json::Parse(response.body);
  const rapidjson::Value* token = body.ok() ? json::Find(*body, {"token"}) : nullptr;
  if (value.empty() || token == nullptr) {
    return absl::InternalError("keystone: the answer holds no token; auth_url may not be a Keystone's");
  }
  ASSIGN_OR_RETURN(const absl::Time issued, ParseTime(*token, "issued_at"));
  ASSIGN_OR_RETURN(const absl::Time expires, ParseTime(*token, "expires_at"));
  const rapidjson::Value* catalog = json::Find(*token, {"catalog"});
  return Token{.value = std::string(value),
               .life = expires - issued,
               .user_id = std::string(json::String(*token, {"user", "id"})),
               .project_id = std::string(json::String(*token, {"project", "id"})),
               .roles = RolesOf(*token),
               .catalog = catalog == nullptr ? Catalog() : Catalog::Parse(*catalog)};
}

}  // namespace kupen::openstack
