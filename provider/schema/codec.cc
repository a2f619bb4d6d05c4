#include "provider/schema/codec.h"

#include <algorithm>
#include <vector>

#include "absl/strings/string_view.h"
#include "provider/json/json.h"

namespace kupen::schema {
namespace {

using rapidjson::Value;

// Absent and null mean the same: not managed.
const Value* Member(const Value& object, absl::string_view name) {
  const Value* member = json::Find(object, {name});
  return member == nullptr || member->IsNull() ? nullptr : member;
}

bool IsSent(const FieldPlan& field, const Value& value) { return field.options.clear_when_empty() || !json::IsEmpty(value); }

Value Encode(const MessagePlan& plan, const Value& parameters, bool creating, Allocator& allocator) {
  Value object(rapidjson::kObjectType);
  for (const FieldPlan& field : plan.fields) {
    if (field.wire.empty()) continue;
    if (creating && field.options.has_subresource() && !field.options.subresource().in_create()) continue;
    const Value* value = Member(parameters, field.json);
    if (value == nullptr || !IsSent(field, *value)) continue;
    // Only what the service says can lie deeper: what it takes is a member of the object itself.
    object.AddMember(json::Text(field.wire.front(), allocator), EncodeValue(field, *value, allocator), allocator);
  }
  return object;
}

Value DecodeValue(const FieldPlan& field, const Value& value, Allocator& allocator) {
  if (field.repeated && value.IsArray()) {
    std::vector<Value> items;
    items.reserve(value.Size());
    for (const Value& item : value.GetArray()) {
      items.push_back(field.message != nullptr ? Decode(*field.message, item, allocator) : Value(item, allocator));
    }
    if (field.options.unordered()) {
      std::sort(items.begin(), items.end(), [](const Value& a, const Value& b) { return json::Write(a) < json::Write(b); });
    }
    Value array(rapidjson::kArrayType);
    for (Value& item : items) array.PushBack(item, allocator);
    return array;
  }
  if (field.message != nullptr && value.IsObject()) return Decode(*field.message, value, allocator);
  return Value(value, allocator);
}

// The members by which a user can give a field its value.
std::vector<std::string> MembersOf(const FieldPlan& field) {
  return field.reference.has_value() ? field.reference->all() : std::vector<std::string>{field.json};
}

}  // namespace

const Value* FindAt(const Value& object, const std::vector<std::string>& path) {
  const Value* value = &object;
  for (const std::string& name : path) {
    value = json::Find(*value, {name});
    if (value == nullptr) return nullptr;
  }
  return value;
}

Value ParametersForCreate(const MessagePlan& plan, const Value& spec, Allocator& allocator) {
  Value parameters(rapidjson::kObjectType);
  const auto take = [&](const Value* from, const FieldPlan& field) {
    bool taken = false;
    for (const std::string& member : MembersOf(field)) {
      const Value* value = from == nullptr ? nullptr : Member(*from, member);
      if (value == nullptr) continue;
      parameters.AddMember(json::Text(member, allocator), Value(*value, allocator), allocator);
      taken = true;
    }
    return taken;
  };
  const Value* for_provider = Member(spec, "forProvider");
  const Value* init_provider = Member(spec, "initProvider");
  for (const FieldPlan& field : plan.fields) {
    if (take(for_provider, field) || take(init_provider, field) || field.options.default_().empty()) continue;
    rapidjson::Document fallback(&allocator);
    fallback.Parse(field.options.default_().c_str());
    parameters.AddMember(json::Text(field.json, allocator), Value(fallback, allocator), allocator);
  }
  return parameters;
}

Value Encode(const MessagePlan& plan, const Value& parameters, Allocator& allocator) {
  return Encode(plan, parameters, /*creating=*/false, allocator);
}

Value EncodeForCreate(const MessagePlan& plan, const Value& parameters, Allocator& allocator) {
  return Encode(plan, parameters, /*creating=*/true, allocator);
}

Value EncodeValue(const FieldPlan& field, const Value& value, Allocator& allocator) {
  if (field.repeated && value.IsArray()) {
    Value array(rapidjson::kArrayType);
    for (const Value& item : value.GetArray()) {
      array.PushBack(field.message != nullptr ? Encode(*field.message, item, allocator) : Value(item, allocator), allocator);
    }
    return array;
  }
  if (field.message != nullptr && value.IsObject()) return Encode(*field.message, value, allocator);
  // An empty text that may be sent clears, and services want null for that.
  if (value.IsString() && value.GetStringLength() == 0) return Value(rapidjson::kNullType);
  return Value(value, allocator);
}

Value Decode(const MessagePlan& plan, const Value& object, Allocator& allocator) {
  Value seen(rapidjson::kObjectType);
  for (const FieldPlan& field : plan.fields) {
    if (field.wire.empty()) continue;
    const Value* value = FindAt(object, field.wire);
    if (value == nullptr || value->IsNull() || json::IsEmpty(*value)) continue;
    seen.AddMember(json::Text(field.json, allocator), DecodeValue(field, *value, allocator), allocator);
  }
  return seen;
}

}  // namespace kupen::schema
