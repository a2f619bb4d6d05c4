#include "provider/managed/changes.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "provider/base/status.h"
#include "provider/http/url.h"
#include "provider/json/json.h"
#include "provider/managed/created_with.h"

namespace kupen::managed {
namespace {

using apis::options::v1::Subresource;
using rapidjson::Document;
using rapidjson::Value;

// RFC 6902, as Glance takes it.
Value JsonPatch(const Value& members, const Value& object, schema::Allocator& allocator) {
  Value operations(rapidjson::kArrayType);
  for (const auto& member : members.GetObject()) {
    const bool present = json::Find(object, {json::String(member.name)}) != nullptr;
    if (member.value.IsNull() && !present) continue;
    Value operation(rapidjson::kObjectType);
    json::Set(operation, "op", member.value.IsNull() ? "remove" : (present ? "replace" : "add"), allocator);
    json::Set(operation, "path", absl::StrCat("/", absl::StrReplaceAll(json::String(member.name), {{"~", "~0"}, {"/", "~1"}})),
              allocator);
    if (!member.value.IsNull()) json::Set(operation, "value", Value(member.value, allocator), allocator);
    operations.PushBack(operation, allocator);
  }
  return operations;
}

// The members to change in the object itself.
Value MembersOf(const ManagedKind& kind, const std::optional<Marker>& marker, const Changes& changes,
                schema::Allocator& allocator) {
  Value members(rapidjson::kObjectType);
  for (const schema::Change& change : changes.in_place) {
    json::Set(members, change.field->wire.front(), Value(change.wanted, allocator), allocator);
  }
  for (const HookChange& change : changes.by_hook)
    json::Set(members, change.member, Value(change.wanted, allocator), allocator);
  if (marker.has_value() && json::Find(members, {kind.options().identity().marker()}) != nullptr) {
    kind.AddMarker(*marker, members, allocator);
  }
  return members;
}

// Sends what is new, then deletes what is gone, key by key.
absl::Status MergeMap(openstack::Rest& rest, const std::string& id, const schema::Change& change, const Value& object,
                      const std::stop_token& stop, const openstack::CallOptions& options) {
  const std::string& path = change.field->options.subresource().path();
  if (!json::IsEmpty(change.wanted)) {
    Document body(rapidjson::kObjectType);
    json::Set(body, change.field->wire.front(), Value(change.wanted, body.GetAllocator()), body.GetAllocator());
    RETURN_IF_ERROR(rest.Call("POST", id, path, &body, stop, options).status());
  }
  const Value* present = json::Find(object, {change.field->wire.front()});
  if (present == nullptr || !present->IsObject()) return absl::OkStatus();
  for (const auto& member : present->GetObject()) {
    const absl::string_view key = json::String(member.name);
    if (json::Find(change.wanted, {key}) != nullptr) continue;
    const absl::Status deleted =
        rest.Call("DELETE", id, absl::StrCat(path, "/", http::Escape(key)), nullptr, stop, options).status();
    if (!deleted.ok() && !absl::IsNotFound(deleted)) return deleted;
  }
  return absl::OkStatus();
}

absl::Status SendSubresource(const ManagedKind& kind, openstack::Rest& rest, const std::string& id,
                             const std::optional<Marker>& marker, const schema::Change& change, const Value& object,
                             const std::stop_token& stop, const openstack::CallOptions& options) {
  const Subresource& subresource = change.field->options.subresource();
  if (subresource.write() == Subresource::MERGE) return MergeMap(rest, id, change, object, stop, options);
  Document body(rapidjson::kObjectType);
  const std::string& member = change.field->wire.front();
  json::Set(body, member, Value(change.wanted, body.GetAllocator()), body.GetAllocator());
  if (marker.has_value() && member == kind.options().identity().marker()) kind.AddMarker(*marker, body, body.GetAllocator());
  return rest.Call("PUT", id, subresource.path(), &body, stop, options).status();
}

}  // namespace

std::string Changes::Text() const {
  std::vector<std::string> texts;
  texts.reserve(in_place.size() + by_hook.size() + subresources.size());
  for (const schema::Change& change : in_place) texts.push_back(change.text);
  for (const HookChange& change : by_hook) texts.push_back(change.text);
  for (const schema::Change& change : subresources) texts.push_back(change.text);
  return absl::StrJoin(texts, ", ");
}

Changes FindChanges(const ManagedKind& kind, const Value& parameters, const Value& object, absl::string_view created_with,
                    schema::Allocator& allocator) {
  Changes changes;
  const bool can_update = kind.options().update() != apis::options::v1::NOT_POSSIBLE;
  for (schema::Change& change : schema::Diff(kind.plan.parameters, parameters, object, allocator)) {
    if (change.field->options.replaces()) {
      changes.replacing.push_back(change.text);
    } else if (change.field->options.has_subresource()) {
      changes.subresources.push_back(std::move(change));
    } else if (change.field->options.immutable() || !can_update) {
      changes.impossible.push_back(change.text);
    } else {
      changes.in_place.push_back(std::move(change));
    }
  }
  if (kind.hooks != nullptr) changes.by_hook = kind.hooks->Diff(parameters, object, allocator);
  for (const schema::FieldPlan* field : ChangedSince(created_with, kind.plan.parameters, parameters)) {
    // What the service shows has been compared already.
    if (!field->wire.empty() && schema::FindAt(object, field->wire) != nullptr) continue;
    (field->options.replaces() ? changes.replacing : changes.impossible).push_back(absl::StrCat(field->json, ": changed"));
  }
  return changes;
}

absl::StatusOr<Document> SendChanges(const ManagedKind& kind, openstack::Rest& rest, const std::string& id,
                                     const std::optional<Marker>& marker, const Changes& changes, const Value& object,
                                     const std::stop_token& stop, const openstack::CallOptions& options) {
  Document scratch;
  Document answer;
  const Value members = MembersOf(kind, marker, changes, scratch.GetAllocator());
  if (!members.ObjectEmpty()) {
    const bool patch = kind.options().update() == apis::options::v1::JSON_PATCH;
    const Value body = patch ? JsonPatch(members, object, scratch.GetAllocator()) : Value(members, scratch.GetAllocator());
    ASSIGN_OR_RETURN(answer, rest.Update(id, body, stop, options));
  }
  for (const schema::Change& change : changes.subresources) {
    RETURN_IF_ERROR(SendSubresource(kind, rest, id, marker, change, object, stop, options));
  }
  // Some services answer with all of the object, and that is what it is now.
  if (changes.subresources.empty() && kind.IdOf(answer) == id) return answer;
  return rest.Get(id, stop, options);
}

}  // namespace kupen::managed
