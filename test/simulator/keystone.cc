#include "test/simulator/keystone.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "provider/json/json.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

// In the order in which Keystone tells them.
struct Role {
  const char* name;
  bool of_members;
};
constexpr std::array kRoles = {Role{"admin", false}, Role{"member", true}, Role{"reader", true}};
// What is left to those who lose a role.
constexpr absl::string_view kLeftRole = "reader";

struct Endpoint {
  absl::string_view type;
  absl::string_view name;
  absl::string_view path;
  bool with_project;
};
constexpr std::array kEndpoints = {
    Endpoint{"image", "glance", "/image", false},
    Endpoint{"compute", "nova", "/compute/v2.1", false},
    Endpoint{"network", "neutron", "/network", false},
    Endpoint{"block-storage", "cinder", "/volume/v3/", true},
    Endpoint{"identity", "keystone", "/identity/v3", false},
    Endpoint{"volumev3", "cinder", "/volume/v3/", true},
    Endpoint{"load-balancer", "octavia", "/load-balancer", false},
    Endpoint{"placement", "placement", "/placement", false},
};

bool IsOurDomain(const Value& owner) {
  const absl::string_view id = json::String(owner, {"domain", "id"});
  const absl::string_view name = json::String(owner, {"domain", "name"});
  return id == "default" || name == "Default" || name == "default";
}

std::string TokenTime(absl::Time time) { return LongTimeText(time) + "Z"; }

void WriteDomain(Json& out) {
  out.Key("domain").writer().StartObject();
  out.Text("id", "default").Text("name", "Default").writer().EndObject();
}

}  // namespace

Keystone::Keystone(World& world) : Service(world, {.type = "identity", .prefix = "/identity", .version = "/v3"}) {
  for (const Account& account : world.options.accounts) {
    const auto same =
        std::find_if(users_.begin(), users_.end(), [&](const User& u) { return u.account.project == account.project; });
    users_.push_back(
        {.account = account, .user_id = NewHexId(), .project_id = same == users_.end() ? NewHexId() : same->project_id});
  }
  for (const Role& role : kRoles) role_ids_[role.name] = NewHexId();
  On("POST", "/auth/tokens", [this](Call& call) { return LogIn(call); });
  On("GET", "/auth/tokens", [this](Call& call) { return ShowToken(call); });
  On("GET", "/projects", [this](Call& call) { return ListProjects(call); });
}

std::optional<Caller> Keystone::WhoHas(absl::string_view token) const {
  const auto found = tokens_.find(token);
  if (found == tokens_.end() || found->second.expires <= world_.Now()) return std::nullopt;
  return found->second.caller;
}

std::string Keystone::ProjectId(absl::string_view name) const {
  const auto found = std::find_if(users_.begin(), users_.end(), [&](const User& user) { return user.account.project == name; });
  return found == users_.end() ? "" : found->project_id;
}

const Keystone::User* Keystone::FindUser(const Value& user) const {
  const absl::string_view id = json::String(user, {"id"});
  const absl::string_view name = json::String(user, {"name"});
  const auto found = std::find_if(users_.begin(), users_.end(), [&](const User& one) {
    return id.empty() ? one.account.user == name && IsOurDomain(user) : one.user_id == id;
  });
  return found == users_.end() ? nullptr : &*found;
}

const Keystone::User* Keystone::Authenticate(const Value& identity, std::string& method) const {
  for (const Value& wanted : json::Array(identity, {"methods"})) {
    method = std::string(json::String(wanted));
    if (method == "password") {
      const Value* user = json::Find(identity, {"password", "user"});
      const User* found = user == nullptr ? nullptr : FindUser(*user);
      if (found != nullptr && found->account.password == json::String(*user, {"password"})) return found;
    } else if (method == "token") {
      const auto token = tokens_.find(json::String(identity, {"token", "id"}));
      if (token == tokens_.end() || token->second.expires <= world_.Now()) continue;
      for (const User& user : users_) {
        if (user.user_id == token->second.caller.user_id) return &user;
      }
    }
  }
  return nullptr;
}

bool Keystone::IsInScope(const User& user, const Value* scope) const {
  const Value* project = scope == nullptr ? nullptr : json::Find(*scope, {"project"});
  if (project == nullptr) return true;
  const absl::string_view id = json::String(*project, {"id"});
  return id.empty() ? json::String(*project, {"name"}) == user.account.project && IsOurDomain(*project) : id == user.project_id;
}

Answer Keystone::LogIn(const Call& call) {
  const Value* identity = json::Find(call.body, {"auth", "identity"});
  if (identity == nullptr || json::Find(*identity, {"methods"}) == nullptr) {
    return Refuse(400, "'identity' is a required property");
  }
  std::string method;
  const User* user = Authenticate(*identity, method);
  if (user == nullptr && method == "token") return Refuse(404, "Could not recognize Fernet token");
  if (user == nullptr || !IsInScope(*user, json::Find(call.body, {"auth", "scope"}))) {
    return Refuse(401, "The request you have made requires authentication.");
  }
  Token token{.caller = {.user_id = user->user_id,
                         .user_name = user->account.user,
                         .project_id = user->project_id,
                         .project_name = user->account.project,
                         .is_admin = user->account.is_admin},
              .issued = world_.Now(),
              .expires = world_.Now() + world_.options.token_life,
              .method = std::move(method),
              .lost_role = call.faults.hidden_share > 0};
  std::erase_if(tokens_, [&](const auto& entry) { return entry.second.expires <= token.issued; });
  Answer answer = JsonAnswer(201, TokenBody(token, /*with_catalog=*/true));
  const std::string value = absl::StrCat("sim-", NewHexId(), NewHexId());
  answer.headers.emplace_back("X-Subject-Token", value);
  answer.headers.emplace_back("Vary", "X-Auth-Token");
  tokens_.emplace(value, std::move(token));
  return answer;
}

Answer Keystone::ShowToken(const Call& call) const {
  const auto token = tokens_.find(http::Find(call.request->headers, "X-Subject-Token"));
  if (token == tokens_.end() || token->second.expires <= world_.Now()) return Refuse(404, "Could not recognize Fernet token");
  Answer answer = JsonAnswer(200, TokenBody(token->second, /*with_catalog=*/true));
  answer.headers.emplace_back("X-Subject-Token", token->first);
  return answer;
}

std::string Keystone::TokenBody(const Token& token, bool with_catalog) const {
  Json out;
  Writer& writer = out.writer();
  writer.StartObject();
  out.Key("token");
  writer.StartObject();
  out.Key("methods");
  writer.StartArray();
  writer.String(token.method.c_str());
  writer.EndArray();
  out.Key("user");
  writer.StartObject();
  WriteDomain(out);
  out.Text("id", token.caller.user_id).Text("name", token.caller.user_name).Key("password_expires_at");
  writer.Null();
  writer.EndObject();
  out.Key("audit_ids");
  writer.StartArray();
  writer.String("c50qgLXeQ_SwOGRs0DCmbA");
  writer.EndArray();
  out.Text("expires_at", TokenTime(token.expires)).Text("issued_at", TokenTime(token.issued)).Key("project");
  writer.StartObject();
  WriteDomain(out);
  out.Text("id", token.caller.project_id).Text("name", token.caller.project_name);
  writer.EndObject();
  out.Key("is_domain");
  writer.Bool(false);
  out.Key("roles");
  writer.StartArray();
  for (const Role& role : kRoles) {
    if (!role.of_members && !token.caller.is_admin) continue;
    if (token.lost_role && role.name != kLeftRole) continue;
    writer.StartObject();
    out.Text("id", role_ids_.at(role.name)).Text("name", role.name);
    writer.EndObject();
  }
  writer.EndArray();
  if (with_catalog) WriteCatalog(out, token.caller);
  writer.EndObject();
  writer.EndObject();
  return out.Take();
}

void Keystone::WriteCatalog(Json& out, const Caller& caller) const {
  Writer& writer = out.writer();
  out.Key("catalog");
  writer.StartArray();
  for (const Endpoint& endpoint : kEndpoints) {
    writer.StartObject();
    out.Key("endpoints");
    writer.StartArray();
    for (const absl::string_view interface : {"admin", "internal", "public"}) {
      writer.StartObject();
      out.Text("id", absl::StrCat(endpoint.type, "-", interface)).Text("interface", interface);
      out.Text("region_id", world_.options.region);
      out.Text("url", absl::StrCat(world_.url, endpoint.path, endpoint.with_project ? caller.project_id : ""));
      out.Text("region", world_.options.region);
      writer.EndObject();
    }
    writer.EndArray();
    out.Text("id", endpoint.type).Text("type", endpoint.type).Text("name", endpoint.name);
    writer.EndObject();
  }
  writer.EndArray();
}

Answer Keystone::ListProjects(const Call& call) const {
  if (!call.caller.is_admin)
    return Refuse(403, "You are not authorized to perform the requested action: identity:list_projects.");
  Json out;
  Writer& writer = out.writer();
  writer.StartObject();
  out.Key("projects");
  writer.StartArray();
  std::string before;
  for (const User& user : users_) {
    if (user.project_id == before || (call.HasQuery("name") && call.Query("name") != user.account.project)) continue;
    before = user.project_id;
    writer.StartObject();
    out.Text("id", user.project_id).Text("name", user.account.project).Text("domain_id", "default");
    out.Text("description", "").Key("enabled");
    writer.Bool(true);
    out.Text("parent_id", "default").Key("is_domain");
    writer.Bool(false);
    out.Key("tags");
    writer.StartArray();
    writer.EndArray();
    out.Key("options");
    writer.StartObject();
    writer.EndObject();
    out.Key("links");
    writer.StartObject();
    out.Text("self", absl::StrCat(Url(), "/v3/projects/", user.project_id));
    writer.EndObject();
    writer.EndObject();
  }
  writer.EndArray();
  out.Key("links");
  writer.StartObject();
  out.Key("next");
  writer.Null();
  out.Text("self", absl::StrCat(Url(), "/v3/projects")).Key("previous");
  writer.Null();
  writer.EndObject();
  writer.EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Keystone::Versions(const Call& /*call*/, bool below_version) {
  const std::string version = absl::StrCat(
      R"({"id":"v3.14","status":"stable","updated":"2020-04-07T00:00:00Z","links":[{"rel":"self","href":")", Url(),
      R"(/v3/"}],"media-types":[{"base":"application/json","type":"application/vnd.openstack.identity-v3+json"}]})");
  if (below_version) return JsonAnswer(200, absl::StrCat(R"({"version":)", version, "}"));
  return JsonAnswer(300, absl::StrCat(R"({"versions":{"values":[)", version, "]}}"));
}

Answer Keystone::Refuse(int status, absl::string_view message) const {
  const absl::string_view title = status == 400   ? "Bad Request"
                                  : status == 401 ? "Unauthorized"
                                  : status == 403 ? "Forbidden"
                                  : status == 404 ? "Not Found"
                                                  : "Error";
  Json out;
  Writer& writer = out.writer();
  writer.StartObject();
  out.Key("error");
  writer.StartObject();
  out.Key("code");
  writer.Int(status);
  out.Text("message", message).Text("title", title);
  writer.EndObject();
  writer.EndObject();
  return JsonAnswer(status, out.Take());
}

}  // namespace kupen::simulator
