#include "provider/schema/references.h"

#include "absl/strings/str_cat.h"
#include "provider/json/json.h"

namespace kupen::schema {
namespace {

using rapidjson::Value;

void FindIn(const MessagePlan& plan, Value& parameters, const std::string& prefix, std::vector<ReferenceUse>& found);

void FindInMessages(const FieldPlan& field, Value& value, const std::string& path, std::vector<ReferenceUse>& found) {
  if (!field.repeated) {
    FindIn(*field.message, value, absl::StrCat(path, "."), found);
    return;
  }
  if (!value.IsArray()) return;
  for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
    FindIn(*field.message, value[i], absl::StrCat(path, "[", i, "]."), found);
  }
}

void FindIn(const MessagePlan& plan, Value& parameters, const std::string& prefix, std::vector<ReferenceUse>& found) {
  if (!parameters.IsObject()) return;
  // What lies deeper comes first: an object that gets a member may move those that it has.
  for (const FieldPlan& field : plan.fields) {
    if (field.message == nullptr) continue;
    const auto member = parameters.FindMember(field.json.c_str());
    if (member != parameters.MemberEnd()) FindInMessages(field, member->value, prefix + field.json, found);
  }
  for (const FieldPlan& field : plan.fields) {
    if (!field.reference.has_value()) continue;
    for (const std::string& name : field.reference->all()) {
      if (name == field.reference->id) continue;
      const Value* value = json::Find(parameters, {name});
      if (value == nullptr || value->IsNull()) continue;
      found.push_back({.field = &field, .holder = &parameters, .path = prefix + name, .member = name, .value = value});
    }
  }
}

}  // namespace

std::vector<ReferenceUse> FindReferences(const MessagePlan& plan, Value& parameters) {
  std::vector<ReferenceUse> found;
  FindIn(plan, parameters, "", found);
  return found;
}

void SetResolved(const ReferenceUse& use, const std::vector<std::string>& ids, Allocator& allocator) {
  const auto text = [&allocator](const std::string& from) { return json::Text(from, allocator); };
  const auto existing = use.holder->FindMember(use.field->json.c_str());
  if (!use.field->repeated) {
    if (existing != use.holder->MemberEnd()) use.holder->RemoveMember(existing);
    if (!ids.empty()) use.holder->AddMember(text(use.field->json), text(ids.front()), allocator);
    return;
  }
  if (existing == use.holder->MemberEnd() || !existing->value.IsArray()) {
    json::Set(*use.holder, use.field->json, Value(rapidjson::kArrayType), allocator);
  }
  Value& list = use.holder->FindMember(use.field->json.c_str())->value;
  for (const std::string& id : ids) list.PushBack(text(id), allocator);
}

}  // namespace kupen::schema
