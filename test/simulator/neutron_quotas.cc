// Quotas: how many objects of a kind a project may have. A project has none unless an administrator sets them.
#include <array>

#include "absl/strings/str_cat.h"
#include "provider/json/json.h"
#include "test/simulator/neutron.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

struct UsualQuota {
  const char* resource;
  int limit;
};
// What an answer tells of those that nobody has set.
constexpr std::array kUsual = {
    UsualQuota{"network", 100},    UsualQuota{"subnet", 100},        UsualQuota{"subnetpool", -1},
    UsualQuota{"port", 500},       UsualQuota{"router", 10},         UsualQuota{"floatingip", 50},
    UsualQuota{"rbac_policy", 10}, UsualQuota{"security_group", 10}, UsualQuota{"security_group_rule", 100},
    UsualQuota{"trunk", -1},
};

Answer NotAllowed(absl::string_view rule) {
  return JsonAnswer(403, absl::StrCat(R"({"NeutronError":{"type":"PolicyNotAuthorized","message":"rule:)", rule,
                                      R"( is disallowed by policy","detail":""}})"));
}

}  // namespace

Answer Neutron::SetQuota(Call& call) {
  const Value* given = call.Envelope("quota");
  if (given == nullptr) return Bad("Unable to find 'quota' in request body");
  if (!call.caller.is_admin) return NotAllowed("update_quota");
  std::map<std::string, int>& quotas = quotas_[call.Parameter(0)];
  for (const auto& member : given->GetObject()) {
    if (!member.value.IsInt()) return Bad(absl::StrCat("Invalid input for ", json::String(member.name), "."));
    quotas[std::string(json::String(member.name))] = member.value.GetInt();
  }
  Json out;
  out.writer().StartObject();
  out.Key("quota").writer().StartObject();
  for (const UsualQuota& usual : kUsual) {
    const auto set = quotas.find(usual.resource);
    out.Key(usual.resource).writer().Int(set == quotas.end() ? usual.limit : set->second);
  }
  out.writer().EndObject();
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Neutron::DeleteQuota(Call& call) {
  if (!call.caller.is_admin) return NotAllowed("delete_quota");
  quotas_.erase(call.Parameter(0));
  return {.status = 204};
}

std::optional<Answer> Neutron::CheckQuota(const NeutronResource& resource, const std::string& project) const {
  const auto quotas = quotas_.find(project);
  if (quotas == quotas_.end()) return std::nullopt;
  const auto limit = quotas->second.find(std::string(resource.name));
  if (limit == quotas->second.end() || limit->second < 0) return std::nullopt;
  int used = 0;
  for (const auto& [order, object] : Objects(resource.collection).rows()) used += object->project() == project ? 1 : 0;
  if (used < limit->second) return std::nullopt;
  return Error(409, "OverQuota", absl::StrCat("Quota exceeded for resources: ['", resource.name, "']."));
}

}  // namespace kupen::simulator
