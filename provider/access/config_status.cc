#include "provider/access/config_status.h"

#include "provider/json/json.h"

namespace kupen::access {
namespace {

using rapidjson::Value;
using Allocator = rapidjson::Document::AllocatorType;

constexpr char kReady[] = "Ready";

int64_t Integer(const Value& root, std::initializer_list<absl::string_view> path) {
  const Value* value = json::Find(root, path);
  return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}

// Left out if it is empty.
void AddText(Value& object, const char* name, const std::string& text, Allocator& allocator) {
  if (!text.empty()) json::Set(object, name, text, allocator);
}

Value Render(const Findings& cloud, Allocator& allocator) {
  Value services(rapidjson::kArrayType);
  for (const FoundService& service : cloud.services) {
    Value rendered(rapidjson::kObjectType);
    AddText(rendered, "type", service.type, allocator);
    AddText(rendered, "url", service.url, allocator);
    AddText(rendered, "version", service.version, allocator);
    AddText(rendered, "microversion", service.microversion, allocator);
    services.PushBack(rendered, allocator);
  }
  Value result(rapidjson::kObjectType);
  AddText(result, "region", cloud.region, allocator);
  AddText(result, "projectID", cloud.project_id, allocator);
  AddText(result, "userID", cloud.user_id, allocator);
  result.AddMember("services", services, allocator);
  return result;
}

}  // namespace

ConfigStatus ConfigStatus::Of(const Value& object) {
  using Status = kube::Condition::Status;
  ConfigStatus status = {.ready = {.type = kReady, .status = Status::kUnknown, .reason = ""}};
  status.users = Integer(object, {"status", "users"});
  if (const Value* condition = kube::FindCondition(object, kReady)) {
    const absl::string_view text = json::String(*condition, {"status"});
    status.ready.status = text == "True" ? Status::kTrue : text == "False" ? Status::kFalse : Status::kUnknown;
    status.ready.reason = std::string(json::String(*condition, {"reason"}));
    status.ready.message = std::string(json::String(*condition, {"message"}));
  }
  return status;
}

Value ConfigStatus::Render(const Value& object, absl::Time now, Allocator& allocator) const {
  const int64_t generation = Integer(object, {"metadata", "generation"});
  Value status(rapidjson::kObjectType);
  status.AddMember("conditions",
                   kube::UpdateConditions(json::Find(object, {"status", "conditions"}), {ready}, generation, now, allocator),
                   allocator);
  status.AddMember("observedGeneration", generation, allocator);
  if (cloud.has_value()) status.AddMember("cloud", access::Render(*cloud, allocator), allocator);
  status.AddMember("users", users, allocator);
  return status;
}

}  // namespace kupen::access
