#include "provider/managed/kind.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "provider/json/json.h"
#include "provider/managed/objects.h"
#include "provider/openstack/microversion.h"

namespace kupen::managed {
namespace {

using apis::options::v1::ClientId;
using apis::options::v1::Rest;
using rapidjson::Value;

std::optional<openstack::MicroversionRange> RangeOf(const Rest& rest) {
  const auto lowest = openstack::ParseMicroversion(rest.microversion().lowest());
  const auto highest = openstack::ParseMicroversion(rest.microversion().highest());
  if (!lowest.ok() || !highest.ok()) return std::nullopt;
  return openstack::MicroversionRange{.min = *lowest, .max = *highest};
}

openstack::BusyPoll BusyPollOf(const Rest& rest) {
  if (rest.service() == "network") return openstack::BusyPoll::kRepeatedIds;
  if (rest.service() == "image") return openstack::BusyPoll::kIdsIn;
  if (rest.service() == "compute" && rest.path() == "/servers") return openstack::BusyPoll::kChangesSince;
  return openstack::BusyPoll::kGetEach;
}

void AddFields(const schema::MessagePlan& plan, std::set<std::string>& fields) {
  for (const schema::FieldPlan& field : plan.fields) {
    if (!field.wire.empty()) fields.insert(field.wire.front());
  }
}

// Whether the objects belong to projects, as opposed to the cloud.
bool BelongsToProject(const schema::KindPlan& plan) {
  return absl::c_any_of(plan.observation.fields, [](const schema::FieldPlan& field) { return field.json == "projectID"; });
}

bool IsOfProject(const Value& object, absl::string_view project) {
  for (const absl::string_view member : {"project_id", "tenant_id", "owner"}) {
    const absl::string_view owner = json::String(object, {member});
    if (!owner.empty() && !project.empty()) return owner == project;
  }
  return true;
}

openstack::Query ParseQuery(const std::string& text) {
  openstack::Query query;
  for (const absl::string_view part : absl::StrSplit(text, '&', absl::SkipEmpty())) {
    query.push_back(absl::StrSplit(part, absl::MaxSplits('=', 1)));
  }
  return query;
}

}  // namespace

openstack::RestSpec RestSpecOf(const Rest& rest) {
  openstack::RestSpec spec{.service = rest.service(), .path = rest.path()};
  spec.item_key = rest.envelope();
  spec.list_key = rest.list_envelope().empty() ? rest.envelope() + "s" : rest.list_envelope();
  spec.list_path = rest.list_path();
  spec.microversions = RangeOf(rest);
  if (rest.service() == "identity") spec.page_size = 0;
  if (rest.identity().client_id().form() == ClientId::NAME) spec.id_key = rest.identity().client_id().field();
  if (rest.update() == apis::options::v1::PATCH) spec.update_method = "PATCH";
  if (rest.update() == apis::options::v1::JSON_PATCH) {
    spec.update_method = "PATCH";
    spec.update_content_type = "application/openstack-images-v2.1-json-patch";
  }
  return spec;
}

ManagedKind::ManagedKind(const apis::Kind& kind)
    : name(kind.reference()),
      api_version(absl::StrCat(kind.group, "/", kind.version)),
      plan(kind),
      resource(ResourceOf(kind)),
      rest(RestSpecOf(kind.options.rest())) {}

openstack::MirrorSpec ManagedKind::MirrorSpec(const openstack::Token& token, absl::Duration list_interval) const {
  openstack::MirrorSpec spec{.rest = rest, .fields = {}, .marker_of = nullptr, .list_interval = list_interval};
  spec.busy_poll = BusyPollOf(options());
  const bool administrator = absl::c_linear_search(token.roles, "admin");
  if (administrator && !BelongsToProject(plan)) spec.filters = ParseQuery(options().all_projects_query());
  spec.marker_of = [this, project = token.project_id](const Value& object) {
    const std::optional<Marker> marker = IsOfProject(object, project) ? MarkerIn(object) : std::nullopt;
    return marker.has_value() ? marker->Text() : std::string();
  };
  if (options().state().unknown_size() > 0) {
    spec.says_nothing = [this](const Value& object) { return StateOf(object) == CloudState::kUnknown; };
  }
  if (hooks != nullptr && hooks->KeepsAllFields()) return spec;
  std::set<std::string> fields = {rest.id_key};
  if (HasMarker()) fields.insert(options().identity().marker());
  if (options().has_state()) fields.insert(options().state().field());
  AddFields(plan.parameters, fields);
  AddFields(plan.observation, fields);
  if (hooks != nullptr) absl::c_copy(hooks->Fields(), std::inserter(fields, fields.end()));
  spec.fields = {fields.begin(), fields.end()};
  return spec;
}

std::string ManagedKind::IdOf(const Value& object) const { return std::string(json::String(object, {rest.id_key})); }

std::string ManagedKind::StateName(const Value& object) const {
  return options().has_state() ? std::string(json::String(object, {options().state().field()})) : "";
}

CloudState ManagedKind::StateOf(const Value& object) const {
  if (!options().has_state()) return CloudState::kReady;
  const std::string state = StateName(object);
  if (absl::c_linear_search(options().state().ready(), state)) return CloudState::kReady;
  if (absl::c_linear_search(options().state().failed(), state)) return CloudState::kFailed;
  if (absl::c_linear_search(options().state().at_rest(), state)) return CloudState::kAtRest;
  if (absl::c_linear_search(options().state().unknown(), state)) return CloudState::kUnknown;
  return CloudState::kInTransition;
}

std::optional<Marker> ManagedKind::MarkerIn(const Value& object) const {
  if (!HasMarker()) return std::nullopt;
  const Value* field = json::Find(object, {options().identity().marker()});
  if (field == nullptr) return std::nullopt;
  if (field->IsString()) return Marker::FindIn(json::String(*field));
  for (const Value& item : json::Array(*field)) {
    if (std::optional<Marker> marker = Marker::FindIn(json::String(item))) return marker;
  }
  return std::nullopt;
}

void ManagedKind::AddMarker(const Marker& marker, Value& body, schema::Allocator& allocator) const {
  const std::string& field = options().identity().marker();
  const Value* present = json::Find(body, {field});
  if (plan.kind.parameters->FindFieldByName(field)->is_repeated()) {
    Value list = present != nullptr && present->IsArray() ? Value(*present, allocator) : Value(rapidjson::kArrayType);
    list.PushBack(json::Text(marker.Text(), allocator), allocator);
    json::Set(body, field, std::move(list), allocator);
  } else {
    json::Set(body, field, WithMarker(present == nullptr ? "" : json::String(*present), marker), allocator);
  }
}

rapidjson::Document ManagedKind::Shown(const Value& object) const {
  rapidjson::Document shown;
  shown.CopyFrom(object, shown.GetAllocator());
  RemoveMarkers(shown, shown.GetAllocator());
  return shown;
}

void ManagedKind::RemoveMarkers(Value& object, schema::Allocator& allocator) const {
  if (!HasMarker()) return;
  const std::string& field = options().identity().marker();
  const Value* present = json::Find(object, {field});
  if (present == nullptr) return;
  if (present->IsString()) {
    json::Set(object, field, WithoutMarker(json::String(*present)), allocator);
    return;
  }
  Value rest_of_it(rapidjson::kArrayType);
  for (const Value& item : json::Array(*present)) {
    if (!Marker::FindIn(json::String(item)).has_value()) rest_of_it.PushBack(Value(item, allocator), allocator);
  }
  json::Set(object, field, std::move(rest_of_it), allocator);
}

std::string ManagedKind::ChosenIdFor(absl::string_view uid, absl::string_view object_name, int attempt) const {
  std::string id = ChosenId(uid, attempt);
  if (options().identity().client_id().form() == ClientId::UUID) return id;
  return absl::StrCat(object_name, "-", absl::string_view(id).substr(0, 8));
}

kube::ObjectReference ManagedKind::ReferenceTo(const kube::Object& object) const {
  return {.api_version = api_version, .kind = plan.kind.name, .key = object.key(), .uid = std::string(object.uid())};
}

}  // namespace kupen::managed
