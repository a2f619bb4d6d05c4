#include "test/simulator/neutron.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/substitute.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

// What a list's query may have beside attributes.
constexpr std::array<absl::string_view, 10> kListControls = {"limit",    "marker",       "fields",   "sort_key",     "sort_dir",
                                                             "tags-any", "page_reverse", "not-tags", "not-tags-any", "tags"};

bool HasType(const Value& value, AttributeType type) {
  switch (type) {
    case AttributeType::kAny:
      return true;
    case AttributeType::kString:
      return value.IsString();
    case AttributeType::kBool:
      return value.IsBool();
    case AttributeType::kInt:
      return value.IsInt64();
    case AttributeType::kList:
      return value.IsArray();
  }
  return false;
}

absl::string_view TypeName(AttributeType type) {
  switch (type) {
    case AttributeType::kAny:
      return "value";
    case AttributeType::kString:
      return "string";
    case AttributeType::kBool:
      return "boolean";
    case AttributeType::kInt:
      return "integer";
    case AttributeType::kList:
      return "list";
  }
  return "";
}

bool FitsFilter(const Value& value, absl::string_view wanted) {
  if (value.IsString()) return json::String(value) == wanted;
  if (value.IsBool()) return value.GetBool() == (absl::EqualsIgnoreCase(wanted, "true") || wanted == "1");
  if (value.IsInt64()) return absl::StrCat(value.GetInt64()) == wanted;
  if (value.IsNull()) return wanted.empty();
  if (!value.IsArray()) return false;
  // fixed_ips=ip_address=10.0.0.5; others by their elements.
  const std::pair<absl::string_view, absl::string_view> part = absl::StrSplit(wanted, absl::MaxSplits('=', 1));
  return std::any_of(value.Begin(), value.End(), [&](const Value& item) {
    return item.IsObject() ? json::String(item, {part.first}) == part.second : json::String(item) == wanted;
  });
}

// All of one name are alternatives; different names all have to fit.
bool FitsFilters(const Call& call, const Object& object) {
  for (const auto& [name, unused] : call.query) {
    if (std::find(kListControls.begin(), kListControls.end(), name) != kListControls.end() && name != "tags") continue;
    const Value* value = json::Find(object.body(), {name});
    const bool fits = value != nullptr && std::any_of(call.query.begin(), call.query.end(), [&](const auto& other) {
                        return other.first == name && FitsFilter(*value, other.second);
                      });
    if (!fits) return false;
  }
  return true;
}

}  // namespace

Neutron::Neutron(World& world) : Service(world, {.type = "network", .prefix = "/network", .version = "/v2.0"}) {
  Serve(NetworkResource(), "/networks");
  Serve(SubnetResource(), "/subnets");
  Serve(PortResource(), "/ports");
  Serve(SecurityGroupResource(), "/security-groups");
  Serve(SubnetPoolResource(), "/subnetpools");
  Serve(QosPolicyResource(), "/qos/policies");
  On("PUT", "/quotas/{project}", [this](Call& call) { return SetQuota(call); });
  On("DELETE", "/quotas/{project}", [this](Call& call) { return DeleteQuota(call); });
}

void Neutron::Serve(const NeutronResource& resource, absl::string_view path) {
  const std::string item = absl::StrCat(path, "/{id}");
  On("POST", path, [&](Call& call) { return Create(call, resource); });
  On("GET", path, [&](Call& call) { return List(call, resource); });
  On("GET", item, [&](Call& call) { return Show(call, resource); });
  On("PUT", item, [&](Call& call) { return Update(call, resource); });
  On("DELETE", item, [&](Call& call) { return Delete(call, resource); });
  On("PUT", item + "/tags", [&](Call& call) { return SetTags(call, resource); });
}

Answer Neutron::Versions(const Call& /*call*/, bool below_version) {
  if (!below_version) {
    return JsonAnswer(200, absl::StrCat(R"({"versions":[{"id":"v2.0","status":"CURRENT","links":[{"rel":"self","href":")",
                                        Url(), R"(/v2.0/"}]}]})"));
  }
  std::string list;
  for (const NeutronResource* one : {&NetworkResource(), &SubnetResource(), &SubnetPoolResource(), &PortResource()}) {
    absl::StrAppend(&list, list.empty() ? "" : ",", R"({"name":")", one->name, R"(","collection":")", one->collection,
                    R"(","links":[{"rel":"self","href":")", Url(), "/v2.0/", one->collection, R"("}]})");
  }
  return JsonAnswer(200, absl::StrCat(R"({"resources":[)", list, "]}"));
}

Answer Neutron::Error(int status, absl::string_view type, absl::string_view message) {
  Json out;
  Writer& writer = out.writer();
  writer.StartObject();
  out.Key("NeutronError");
  writer.StartObject();
  out.Text("type", type).Text("message", message).Text("detail", "");
  writer.EndObject();
  writer.EndObject();
  return JsonAnswer(status, out.Take());
}

Answer Neutron::Refuse(int status, absl::string_view message) const {
  if (status == 401) {
    return JsonAnswer(401, absl::StrCat(R"({"error":{"code":401,"title":"Unauthorized","message":")", message, R"("}})"));
  }
  const absl::string_view type = status == 404 ? "HTTPNotFound" : status == 503 ? "HTTPServiceUnavailable" : "HTTPError";
  return Error(status, type, message);
}

Answer Neutron::NotFound(const NeutronResource& resource, absl::string_view id) {
  return Error(404, resource.not_found_type, absl::Substitute(resource.not_found_format, id));
}

bool Neutron::Sees(const Call& call, const Object& object) const {
  if (call.faults.Hides(object.id())) return false;
  if (call.caller.is_admin || object.project() == call.caller.project_id) return true;
  if (object.IsTrue("shared") || object.IsTrue("router:external")) return true;
  const Object* network = Objects("networks").Find(object.Text("network_id"));
  return network != nullptr && network->IsTrue("shared");
}

Object* Neutron::FindVisible(const Call& call, const NeutronResource& resource, absl::string_view id) const {
  Object* object = Objects(resource.collection).Find(id);
  return object != nullptr && Sees(call, *object) ? object : nullptr;
}

void Neutron::WriteRow(Json& out, const Call& call, const NeutronResource& resource, const Object& object) const {
  std::vector<absl::string_view> fields;
  for (const auto& [name, value] : call.query) {
    if (name == "fields") fields.push_back(value);
  }
  out.writer().StartObject();
  WriteMembers(out, object.body(), [&](absl::string_view name) {
    const Attribute* attribute = resource.Find(name);
    if (attribute->Is(kHidden) || (attribute->Is(kAdminRead) && !call.caller.is_admin)) return false;
    // Neutron forgets to leave it out of the answer to a create.
    const bool internal = resource.name == "network" && !object.IsTrue("router:external");
    if (name == "is_default" && internal && call.method() != "POST") return false;
    return fields.empty() || std::find(fields.begin(), fields.end(), name) != fields.end();
  });
  out.writer().EndObject();
}

Answer Neutron::One(const Call& call, const NeutronResource& resource, int status, const Object& object) const {
  Json out;
  out.writer().StartObject();
  out.Key(resource.name);
  WriteRow(out, call, resource, object);
  out.writer().EndObject();
  return JsonAnswer(status, out.Take());
}

// What is wrong with the members that the caller wants to write.
std::optional<Answer> Neutron::CheckMembers(const Call& call, const NeutronResource& resource, const Value& given,
                                            AttributeUse use) const {
  for (const auto& member : given.GetObject()) {
    const absl::string_view name = json::String(member.name);
    const Attribute* attribute = resource.Find(name);
    if (attribute == nullptr) return Bad(absl::StrCat("Unrecognized attribute(s) '", name, "'"));
    if (!attribute->Is(use)) {
      return Bad(absl::StrCat(use == kPut ? "Cannot update read-only attribute " : "Attribute '", name,
                              use == kPut ? "" : "' not allowed in POST"));
    }
    if (!HasType(member.value, attribute->type)) {
      return Bad(absl::StrCat("Invalid input for ", name, ". Reason: '", json::Write(member.value), "' is not a valid ",
                              TypeName(attribute->type), "."));
    }
    const bool own_project =
        (name == "tenant_id" || name == "project_id") && json::String(member.value) == call.caller.project_id;
    if (attribute->Is(kAdminWrite) && !call.caller.is_admin && !own_project) {
      const absl::string_view verb = use == kPut ? "update_" : "create_";
      return Error(403, "PolicyNotAuthorized",
                   absl::StrCat("(rule:", verb, resource.name, " and rule:", verb, resource.name, ":", name,
                                ") is disallowed by policy"));
    }
  }
  return std::nullopt;
}

// An object with what was given, and the fallbacks of the rest.
Object& Neutron::Insert(const NeutronResource& resource, const std::string& project, const Value& given) {
  Object& object = Objects(resource.collection).Add(NewUuid(), project);
  for (const Attribute& attribute : resource.attributes) {
    const Value* value = json::Find(given, {attribute.name});
    if (value != nullptr) {
      object.Set(attribute.name, *value);
    } else if (!attribute.fallback.empty()) {
      object.SetJson(attribute.name, attribute.fallback);
    } else if (!attribute.Is(kHidden)) {
      object.SetNull(attribute.name);
    }
  }
  object.created = world_.Now();
  object.Set("id", object.id());
  object.Set("tenant_id", project);
  object.Set("project_id", project);
  object.Set("created_at", TimeText(object.created));
  object.Set("updated_at", TimeText(object.created));
  return object;
}

void Neutron::Touch(Object& object) const {
  const Value* revision = json::Find(object.body(), {"revision_number"});
  object.SetInt("revision_number", revision->GetInt64() + 1);
  object.updated = world_.Now();
  object.Set("updated_at", TimeText(object.updated));
}

Answer Neutron::Create(Call& call, const NeutronResource& resource) {
  const Value* given = call.Envelope(resource.name);
  if (given == nullptr) return Bad(absl::StrCat("Unable to find '", resource.name, "' in request body"));
  if (std::optional<Answer> wrong = CheckMembers(call, resource, *given, kPost)) return *std::move(wrong);
  for (const Attribute& attribute : resource.attributes) {
    if (attribute.Is(kRequired) && json::Find(*given, {attribute.name}) == nullptr) {
      return Bad(absl::StrCat("Failed to parse request. Required attribute '", attribute.name, "' not specified"));
    }
  }
  std::string project(json::String(*given, {"project_id"}));
  if (project.empty()) project = std::string(json::String(*given, {"tenant_id"}));
  if (project.empty()) project = call.caller.project_id;
  if (std::optional<Answer> full = CheckQuota(resource, project)) return *std::move(full);
  Object& object = Insert(resource, project, *given);
  std::optional<Answer> wrong;
  if (resource.name == "network") wrong = CompleteNetwork(call, object);
  if (resource.name == "subnet") wrong = CompleteSubnet(call, object, *given);
  if (resource.name == "port") wrong = CompletePort(call, object, *given);
  if (resource.name == "security_group") AddRules(object, /*within=*/false);
  if (resource.name == "subnetpool") CompleteSubnetPool(object);
  if (wrong.has_value()) {
    Objects(resource.collection).Remove(object.id());
    return *std::move(wrong);
  }
  return One(call, resource, 201, object);
}

Answer Neutron::List(Call& call, const NeutronResource& resource) {
  if (resource.name == "security_group") DefaultGroup(call.caller.project_id);
  for (const auto& [name, value] : call.query) {
    const Attribute* attribute = resource.Find(name);
    const bool control = std::find(kListControls.begin(), kListControls.end(), name) != kListControls.end();
    if (!control && (attribute == nullptr || attribute->Is(kHidden) || attribute->Is(kUnfiltered))) {
      return Bad(absl::StrCat("['", name, "'] is invalid attribute for filtering"));
    }
  }
  const Page page = SelectPage(call, Objects(resource.collection), {.largest = SIZE_MAX, .usual = SIZE_MAX},
                               [&](const Object& row) { return Sees(call, row) && FitsFilters(call, row); });
  if (page.problem == Page::Problem::kMarker) return NotFound(resource, call.Query("marker"));
  if (page.problem == Page::Problem::kLimit) {
    return Error(400, "BadRequest",
                 absl::StrCat("Bad limit request: Limit must be an integer 0 or greater and not '", call.Query("limit"), "'."));
  }
  Json out;
  Writer& writer = out.writer();
  writer.StartObject();
  out.Key(resource.collection);
  writer.StartArray();
  for (const Object* row : page.rows) WriteRow(out, call, resource, *row);
  writer.EndArray();
  if (call.HasQuery("limit")) {
    const auto link = [&](absl::string_view rel, absl::string_view marker, absl::string_view more) {
      writer.StartObject();
      out.Text("rel", rel).Text("href", absl::StrCat(Url(), "/v2.0", call.path, "?", QueryWithMarker(call, marker), more));
      writer.EndObject();
    };
    out.Key(absl::StrCat(resource.collection, "_links"));
    writer.StartArray();
    if (page.full) link("next", page.rows.back()->id(), "");
    link("previous", page.rows.empty() ? "" : page.rows.front()->id(), "&page_reverse=True");
    writer.EndArray();
  }
  writer.EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Neutron::Show(Call& call, const NeutronResource& resource) {
  const Object* object = FindVisible(call, resource, call.Parameter(0));
  return object == nullptr ? NotFound(resource, call.Parameter(0)) : One(call, resource, 200, *object);
}

Answer Neutron::Update(Call& call, const NeutronResource& resource) {
  Object* object = FindVisible(call, resource, call.Parameter(0));
  if (object == nullptr) return NotFound(resource, call.Parameter(0));
  const Value* change = call.Envelope(resource.name);
  if (change == nullptr) return Bad(absl::StrCat("Unable to find '", resource.name, "' in request body"));
  if (!call.caller.is_admin && object->project() != call.caller.project_id) {
    return Error(403, "PolicyNotAuthorized", absl::StrCat("rule:update_", resource.name, " is disallowed by policy"));
  }
  if (std::optional<Answer> wrong = CheckMembers(call, resource, *change, kPut)) return *std::move(wrong);
  if (resource.name == "port") {
    if (std::optional<Answer> wrong = ChangePort(call, *object, *change)) return *std::move(wrong);
  } else {
    object->Merge(*change);
  }
  Touch(*object);
  return One(call, resource, 200, *object);
}

Answer Neutron::Delete(Call& call, const NeutronResource& resource) {
  const Object* object = FindVisible(call, resource, call.Parameter(0));
  if (object == nullptr) return NotFound(resource, call.Parameter(0));
  if (!call.caller.is_admin && object->project() != call.caller.project_id) {
    return Error(403, "PolicyNotAuthorized", absl::StrCat("rule:delete_", resource.name, " is disallowed by policy"));
  }
  if (std::optional<Answer> wrong = CheckRemoval(resource, *object)) return *std::move(wrong);
  Forget(resource, *object);
  return {.status = 204};
}

Answer Neutron::SetTags(Call& call, const NeutronResource& resource) {
  Object* object = FindVisible(call, resource, call.Parameter(0));
  if (object == nullptr) {
    return Error(404, "TagResourceNotFound",
                 absl::StrCat("Resource ", resource.collection, " ", call.Parameter(0), " could not be found."));
  }
  const Value* tags = json::Find(call.body, {"tags"});
  if (tags == nullptr || !tags->IsArray()) return Bad("Invalid input for tags");
  object->Set("tags", *tags);
  Touch(*object);
  Json out;
  out.writer().StartObject();
  out.Value("tags", *tags).writer().EndObject();
  return JsonAnswer(200, out.Take());
}

}  // namespace kupen::simulator
