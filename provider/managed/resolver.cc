#include "provider/managed/resolver.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "provider/managed/cloud_search.h"
#include "provider/managed/created_with.h"
#include "provider/managed/kind.h"
#include "provider/managed/object_writer.h"

namespace kupen::managed {
namespace {

using rapidjson::Value;
using schema::ReferenceUse;

// networks[0].networkRef → networks[0].networkID
std::string FieldOf(const ReferenceUse& use) {
  return absl::StrCat(use.path.substr(0, use.path.size() - use.member.size()), use.field->json);
}

// networkRef, or networkSelector/1f3a55c0: a selector has no name that would tell it from another.
std::string WrittenAs(const ReferenceUse& use, bool is_selector) {
  const std::string member(use.member);
  return is_selector ? absl::StrCat(member, "/", Digest(json::Write(*use.value))) : member;
}

// What an earlier version has recorded does not say what was written.
bool IsWrittenAs(const Resolved& entry, absl::string_view by) { return entry.by.empty() || entry.by == by; }

// Whether the cloud or the cluster does not have it (yet), as opposed to not having been asked.
bool IsAbsence(const absl::Status& status) { return absl::IsNotFound(status) || absl::IsFailedPrecondition(status); }

bool MustResolveAgain(const Value& use) { return json::String(use, {"policy", "resolve"}) == "Always"; }
bool MayStayUnresolved(const Value& use) { return json::String(use, {"policy", "resolution"}) == "Optional"; }

absl::string_view ControllerOf(const Value& object) {
  for (const Value& owner : json::Array(object, {"metadata", "ownerReferences"})) {
    const Value* controller = json::Find(owner, {"controller"});
    if (controller != nullptr && controller->IsTrue()) return json::String(owner, {"uid"});
  }
  return "";
}

bool HasLabels(const Value& object, const Value* wanted) {
  if (wanted == nullptr || !wanted->IsObject()) return true;
  return absl::c_all_of(wanted->GetObject(), [&](const auto& label) {
    const Value* have = json::Find(object, {"metadata", "labels", json::String(label.name)});
    return have != nullptr && *have == label.value;
  });
}

openstack::RestSpec CollectionOf(const apis::Kinds& kinds, const apis::options::v1::Reference& reference) {
  if (!reference.kind().empty()) return RestSpecOf(kinds.Find(reference.kind())->options.rest());
  return {.service = reference.collection().service(),
          .path = reference.collection().path(),
          .list_key = reference.collection().list_envelope()};
}

// The names in a member that is a text, a {name}, or a list of either.
std::vector<std::string> NamesIn(const Value& value) {
  const auto name_of = [](const Value& item) {
    return std::string(json::String(
        item, item.IsObject() ? std::initializer_list<absl::string_view>{"name"} : std::initializer_list<absl::string_view>{}));
  };
  if (!value.IsArray()) return {name_of(value)};
  std::vector<std::string> names;
  names.reserve(value.Size());
  for (const Value& item : value.GetArray()) names.push_back(name_of(item));
  return names;
}

}  // namespace

std::vector<Resolved> ResolvedBefore(const Value& object) {
  std::vector<Resolved> before;
  for (const Value& entry : json::Array(object, {"status", "references"})) {
    before.push_back({.field = std::string(json::String(entry, {"field"})),
                      .object = std::string(json::String(entry, {"object"})),
                      .id = std::string(json::String(entry, {"id"})),
                      .by = std::string(json::String(entry, {"by"}))});
  }
  return before;
}

absl::StatusOr<std::vector<Resolved>> Resolver::Resolve(const ResolveRequest& request, Value& parameters,
                                                        schema::Allocator& allocator) const {
  const std::vector<ReferenceUse> uses = schema::FindReferences(request.plan, parameters);
  std::vector<std::vector<Resolved>> found;
  found.reserve(uses.size());
  // First all, then the ids: setting one moves the members that the others point to.
  for (const ReferenceUse& use : uses) {
    absl::StatusOr<std::vector<Resolved>> resolved = ResolveUse(request, use);
    if (!resolved.ok()) return Annotate(resolved.status(), absl::StrCat("spec.forProvider.", use.path));
    found.push_back(*std::move(resolved));
  }
  std::vector<Resolved> all;
  for (size_t i = 0; i < uses.size(); ++i) {
    std::vector<std::string> ids;
    for (const Resolved& one : found[i]) ids.push_back(one.id);
    schema::SetResolved(uses[i], ids, allocator);
    absl::c_move(found[i], std::back_inserter(all));
  }
  absl::c_sort(all);
  return all;
}

absl::StatusOr<std::vector<Resolved>> Resolver::ResolveUse(const ResolveRequest& request, const ReferenceUse& use) const {
  const std::string field = FieldOf(use);
  if (!use.field->reference.has_value()) return absl::InternalError(absl::StrCat(field, " refers to nothing"));
  const apis::ReferenceMembers& members = *use.field->reference;
  if (use.member == members.selector) return ResolveSelector(request, use, field);
  const std::string by = WrittenAs(use, /*is_selector=*/false);
  std::vector<Resolved> resolved;
  const std::vector<std::string> names = NamesIn(*use.value);
  for (size_t i = 0; i < names.size(); ++i) {
    const Value& one = use.value->IsArray() ? (*use.value)[static_cast<rapidjson::SizeType>(i)] : *use.value;
    const auto known = absl::c_find_if(request.known, [&](const Resolved& entry) {
      return entry.field == field && entry.object == names[i] && IsWrittenAs(entry, by);
    });
    if (known != request.known.end() && !MustResolveAgain(one)) {
      resolved.push_back(*known);
      continue;
    }
    absl::StatusOr<std::string> id = use.member == members.ref
                                         ? IdOfObject(request, use.field->options.refers_to().kind(), names[i])
                                         : IdOfName(request, use, names[i]);
    if (IsAbsence(id.status()) && MayStayUnresolved(one)) continue;
    RETURN_IF_ERROR(id.status());
    resolved.push_back({.field = field, .object = names[i], .id = *std::move(id), .by = by});
  }
  return resolved;
}

absl::StatusOr<std::vector<Resolved>> Resolver::ResolveSelector(const ResolveRequest& request, const ReferenceUse& use,
                                                                const std::string& field) const {
  const std::string by = WrittenAs(use, /*is_selector=*/true);
  std::vector<Resolved> known;
  absl::c_copy_if(request.known, std::back_inserter(known),
                  [&](const Resolved& entry) { return entry.field == field && IsWrittenAs(entry, by); });
  if (!known.empty() && !MustResolveAgain(*use.value)) return known;

  const std::string& kind = use.field->options.refers_to().kind();
  const Value* same_controller = json::Find(*use.value, {"matchControllerRef"});
  const bool by_controller = same_controller != nullptr && same_controller->IsTrue();
  // Before looking: what changes while we look must wake us, too.
  waiters_.WaitForAny(request.self, kind, request.self.object_namespace);
  std::vector<std::string> names;
  for (const kube::ObjectPtr& candidate : objects_.StoreOf(kind)->All(request.self.object_namespace)) {
    ASSIGN_OR_RETURN(const rapidjson::Document object, json::Parse(candidate->json()));
    if (candidate->deleting() || !HasLabels(object, json::Find(*use.value, {"matchLabels"}))) continue;
    if (by_controller && ControllerOf(object) != ControllerOf(request.object)) continue;
    names.emplace_back(candidate->name());
  }
  if (names.empty()) {
    if (MayStayUnresolved(*use.value)) return std::vector<Resolved>();
    return absl::FailedPreconditionError(absl::StrCat("no ", kinds_.Find(kind)->name, " of this namespace matches yet"));
  }
  absl::c_sort(names);
  if (!use.field->repeated) names.resize(1);
  std::vector<Resolved> resolved;
  resolved.reserve(names.size());
  for (const std::string& name : names) {
    absl::StatusOr<std::string> id = IdOfObject(request, kind, name);
    if (IsAbsence(id.status()) && MayStayUnresolved(*use.value)) continue;
    RETURN_IF_ERROR(id.status());
    resolved.push_back({.field = field, .object = name, .id = *std::move(id), .by = by});
  }
  return resolved;
}

absl::StatusOr<std::string> Resolver::IdOfObject(const ResolveRequest& request, const std::string& kind,
                                                 const std::string& name) const {
  const runtime::Key target{.kind = kind, .object_namespace = request.self.object_namespace, .name = name};
  waiters_.Wait(request.self, target);
  const std::string called = absl::StrCat(kinds_.Find(kind)->name, " ", name);
  const kube::ObjectPtr object = objects_.Get(target);
  if (object == nullptr) return absl::FailedPreconditionError(absl::StrCat("there is no ", called, " in this namespace yet"));
  if (object->deleting()) return absl::FailedPreconditionError(absl::StrCat(called, " is being deleted"));
  ASSIGN_OR_RETURN(const rapidjson::Document document, json::Parse(object->json()));
  const absl::string_view id = Annotation(document, kExternalName);
  if (id.empty() || !kube::IsTrue(document, "Ready"))
    return absl::FailedPreconditionError(absl::StrCat("waits for ", called, " to be ready"));
  return std::string(id);
}

absl::StatusOr<std::string> Resolver::IdOfName(const ResolveRequest& request, const ReferenceUse& use,
                                               const std::string& name) const {
  return FindByName(request.session, CollectionOf(kinds_, use.field->options.refers_to()), name, request.stop);
}

}  // namespace kupen::managed
