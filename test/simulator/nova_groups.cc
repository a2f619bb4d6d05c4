// Server groups: servers that are to be apart, or together.
#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"
#include "test/simulator/nova.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

constexpr int kOwnersSince = 13;
constexpr int kOnePolicySince = 64;
constexpr std::array<absl::string_view, 4> kPolicies = {"anti-affinity", "affinity", "soft-anti-affinity", "soft-affinity"};

}  // namespace

Object* Nova::FindServerGroup(const Call& call, absl::string_view id) const {
  Object* group = Objects("server_groups").Find(id);
  return group != nullptr && group->project() == call.caller.project_id && !call.faults.Hides(id) ? group : nullptr;
}

void Nova::WriteServerGroup(Json& out, const Call& call, const Object& group) const {
  const bool one_policy = call.microversion >= kOnePolicySince;
  out.writer().StartObject();
  WriteMembers(out, group.body(), [&](absl::string_view name) {
    if (name == "policy" || name == "rules") return one_policy;
    if (name == "policies" || name == "metadata") return !one_policy;
    return (name != "project_id" && name != "user_id") || call.microversion >= kOwnersSince;
  });
  out.writer().EndObject();
}

Answer Nova::ListServerGroups(Call& call) {
  Json out;
  out.writer().StartObject();
  out.Key("server_groups").writer().StartArray();
  for (const auto& [order, group] : Objects("server_groups").rows()) {
    if (FindServerGroup(call, group->id()) != nullptr) WriteServerGroup(out, call, *group);
  }
  out.writer().EndArray();
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Nova::CreateServerGroup(Call& call) {
  const Value* given = call.Envelope("server_group");
  const absl::string_view name = given == nullptr ? "" : json::String(*given, {"name"});
  absl::string_view policy = given == nullptr ? "" : json::String(*given, {"policy"});
  if (given != nullptr && call.microversion < kOnePolicySince) {
    const auto policies = json::Array(*given, {"policies"});
    policy = policies.Empty() ? "" : json::String(policies[0]);
  }
  if (name.empty() || std::find(kPolicies.begin(), kPolicies.end(), policy) == kPolicies.end()) {
    return Refuse(400, absl::StrCat("Invalid input for field/attribute policy. Value: ", policy, "."));
  }
  Object& group = Objects("server_groups").Add(NewUuid(), call.caller.project_id);
  group.Set("id", group.id());
  group.Set("name", name);
  group.Set("policy", policy);
  group.SetJson("policies", absl::StrCat("[\"", policy, "\"]"));
  group.SetJson("rules", "{}");
  group.SetJson("metadata", "{}");
  group.SetJson("members", "[]");
  group.Set("project_id", call.caller.project_id);
  group.Set("user_id", call.caller.user_id);
  return ShowGroup(call, group);
}

Answer Nova::ShowGroup(const Call& call, const Object& group) const {
  Json out;
  out.writer().StartObject();
  out.Key("server_group");
  WriteServerGroup(out, call, group);
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Nova::ShowServerGroup(Call& call) {
  const Object* group = FindServerGroup(call, call.Parameter(0));
  if (group == nullptr) return Refuse(404, absl::StrCat("Instance group ", call.Parameter(0), " could not be found."));
  return ShowGroup(call, *group);
}

Answer Nova::DeleteServerGroup(Call& call) {
  if (FindServerGroup(call, call.Parameter(0)) == nullptr) {
    return Refuse(404, absl::StrCat("Instance group ", call.Parameter(0), " could not be found."));
  }
  Objects("server_groups").Remove(call.Parameter(0));
  return {.status = 204};
}

void Nova::JoinServerGroup(Object& group, Object& server) const {
  rapidjson::Document members;
  members.CopyFrom(*json::Find(group.body(), {"members"}), members.GetAllocator());
  members.PushBack(json::Text(server.id(), members.GetAllocator()), members.GetAllocator());
  group.Set("members", members);
  server.SetJson("server_groups", absl::StrCat("[\"", group.id(), "\"]"));
}

void Nova::LeaveServerGroups(const Object& server) const {
  for (const Value& id : json::Array(server.body(), {"server_groups"})) {
    Object* group = Objects("server_groups").Find(json::String(id));
    if (group == nullptr) continue;
    rapidjson::Document rest(rapidjson::kArrayType);
    for (const Value& member : json::Array(group->body(), {"members"})) {
      if (json::String(member) != server.id())
        rest.PushBack(json::Text(json::String(member), rest.GetAllocator()), rest.GetAllocator());
    }
    group->Set("members", rest);
  }
}

}  // namespace kupen::simulator
