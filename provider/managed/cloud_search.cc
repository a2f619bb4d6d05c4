#include "provider/managed/cloud_search.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/openstack/service.h"
#include "provider/schema/codec.h"
#include "provider/schema/diff.h"

namespace kupen::managed {
namespace {

using rapidjson::Value;

bool IsTrue(const Value& object, absl::string_view member) {
  const Value* value = json::Find(object, {member});
  return value != nullptr && value->IsTrue();
}

// Not what an administrator sees of other projects. What has no owner is everybody's.
bool IsForProject(const Value& object, const openstack::Token& token) {
  for (const absl::string_view member : {"project_id", "tenant_id", "owner"}) {
    const absl::string_view owner = json::String(object, {member});
    if (owner.empty()) continue;
    const absl::string_view visibility = json::String(object, {"visibility"});
    // What Glance calls shared, its default, is shared with those members alone whom the owner names. Of these images an
    // administrator sees all.
    if (visibility == "shared" && !absl::c_linear_search(token.roles, "admin")) return true;
    return owner == token.project_id || IsTrue(object, "shared") || IsTrue(object, "router:external") ||
           visibility == "public" || visibility == "community";
  }
  return true;
}

// Services that refuse or ignore what they cannot filter by get no filter: the list is looked through anyway.
openstack::Query NameFilter(const openstack::RestSpec& collection, absl::string_view name) {
  const bool known = collection.service == "network" || collection.service == "image" || collection.path == "/volumes";
  return known && !name.empty() ? openstack::Query{{"name", std::string(name)}} : openstack::Query{};
}

absl::StatusOr<std::string> FindOne(openstack::Session& session, const openstack::RestSpec& collection,
                                    const openstack::Query& filter, absl::string_view what,
                                    absl::FunctionRef<bool(const Value& item)> matches, const std::stop_token& stop) {
  std::vector<std::string> ids;
  openstack::Rest rest(session, collection);
  RETURN_IF_ERROR(rest.List(
      filter,
      [&](const Value& item) {
        if (matches(item)) ids.emplace_back(json::String(item, {collection.id_key}));
        return absl::OkStatus();
      },
      stop));
  const absl::string_view project = openstack::ServiceNamed(collection.service).project;
  if (ids.empty()) return absl::NotFoundError(absl::StrCat(project, ": nothing among ", collection.list_key, " has ", what));
  if (ids.size() == 1) return ids.front();
  return absl::FailedPreconditionError(absl::StrCat(project, ": ", ids.size(), " of ", collection.list_key, " have ", what,
                                                    ", such as ", ids[0], " and ", ids[1], ": give the id instead"));
}

}  // namespace

absl::StatusOr<std::string> FindByName(openstack::Session& session, const openstack::RestSpec& collection,
                                       absl::string_view name, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const openstack::Token> token, session.GetToken(stop));
  return FindOne(
      session, collection, NameFilter(collection, name), absl::StrCat("the name ", name),
      [&](const Value& item) { return json::String(item, {"name"}) == name && IsForProject(item, *token); }, stop);
}

absl::StatusOr<std::string> FindByParameters(openstack::Session& session, const ManagedKind& kind, const Value& parameters,
                                             const std::stop_token& stop) {
  rapidjson::Document scratch;
  if (schema::Encode(kind.plan.parameters, parameters, scratch.GetAllocator()).ObjectEmpty()) {
    return absl::InvalidArgumentError(
        "an object that only observes needs the annotation crossplane.io/external-name, or parameters in spec.forProvider "
        "that exactly one object of the cloud has");
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<const openstack::Token> token, session.GetToken(stop));
  return FindOne(
      session, kind.rest, NameFilter(kind.rest, json::String(parameters, {"name"})), "the parameters of spec.forProvider",
      [&](const Value& item) {
        if (!IsForProject(item, *token)) return false;
        rapidjson::Document shown = kind.Shown(item);
        return schema::Diff(kind.plan.parameters, parameters, shown, shown.GetAllocator()).empty();
      },
      stop);
}

}  // namespace kupen::managed
