#include "provider/schema/codec.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "provider/base/text.h"
#include "provider/json/json.h"

namespace kupen::schema {
namespace {

using rapidjson::Value;

// In a status.
constexpr size_t kLongestText = 1024;

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

// Whether a value can be shown where the plan says: some services answer "" or a text for a number that is not set, and the
// API server refuses a whole status for a fraction in place of an integer. No kind has a field for fractions.
bool Fits(const FieldPlan& field, const Value& value) {
  using Field = google::protobuf::FieldDescriptor;
  switch (field.type) {
    case Field::CPPTYPE_STRING:
      return value.IsString();
    case Field::CPPTYPE_BOOL:
      return value.IsBool();
    case Field::CPPTYPE_MESSAGE:
      return value.IsObject();
    default:
      return value.IsInt64();
  }
}

// Every list and map has a maximum.
size_t MostItems(const FieldPlan& field) { return static_cast<size_t>(field.options.max_items()); }

std::string Shortened(const Value& value) {
  return std::string(Cut(Utf8(Cut(json::String(value), kLongestText)), kLongestText));
}

Value DecodeOne(const FieldPlan& field, const Value& value, Allocator& allocator) {
  if (field.message != nullptr) return Decode(*field.message, value, allocator);
  return value.IsString() ? json::Text(Shortened(value), allocator) : Value(value, allocator);
}

Value DecodeList(const FieldPlan& field, const Value& value, Allocator& allocator) {
  std::vector<std::pair<std::string, Value>> items;
  items.reserve(value.Size());
  for (const Value& item : value.GetArray()) {
    if (!Fits(field, item)) continue;
    Value shown = DecodeOne(field, item, allocator);
    items.emplace_back(field.options.unordered() ? json::Write(shown) : "", std::move(shown));
  }
  if (field.options.unordered()) {
    const auto by_text = [](const auto& a, const auto& b) { return a.first < b.first; };
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    std::stable_sort(items.begin(), items.end(), by_text);
    items.erase(std::unique(items.begin(), items.end(), same), items.end());
  }
  Value array(rapidjson::kArrayType);
  for (auto& [text, item] : items) {
    if (array.Size() < MostItems(field)) array.PushBack(item, allocator);
  }
  return array;
}

// Texts by name, sorted.
Value DecodeMap(const FieldPlan& field, const Value& value, Allocator& allocator) {
  std::map<std::string, std::string> members;
  for (const auto& member : value.GetObject()) {
    if (member.value.IsString()) members.emplace(Shortened(member.name), Shortened(member.value));
  }
  Value map(rapidjson::kObjectType);
  for (const auto& [name, text] : members) {
    if (map.MemberCount() < MostItems(field)) json::Set(map, name, text, allocator);
  }
  return map;
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
    Value shown;
    if (field.repeated && value->IsArray()) {
      shown = DecodeList(field, *value, allocator);
    } else if (field.map && value->IsObject()) {
      shown = DecodeMap(field, *value, allocator);
    } else if (!field.repeated && !field.map && Fits(field, *value)) {
      shown = DecodeOne(field, *value, allocator);
    }
    if (!json::IsEmpty(shown)) seen.AddMember(json::Text(field.json, allocator), shown, allocator);
  }
  return seen;
}

}  // namespace kupen::schema
