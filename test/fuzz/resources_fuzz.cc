// Objects of all kinds: what users write on its way to the cloud, and what the cloud says on its way into the status.
//
// An input is JSON: {"kind": "network.Network", "spec": {"forProvider": {…}}, "status": {"conditions": […]}, "cloud": {the
// object as its service has it}}. Without a kind it is meant for all.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "apis/registry/registry.h"
#include "provider/base/text.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "provider/schema/codec.h"
#include "provider/schema/diff.h"
#include "provider/schema/plan.h"
#include "provider/schema/references.h"
#include "test/fuzz/fuzz.h"

namespace kupen::fuzz {
namespace {

using rapidjson::Document;
using rapidjson::Value;
using schema::Allocator;
using schema::KindPlan;

constexpr size_t kLongestText = 1024;

const std::vector<std::unique_ptr<KindPlan>>& Plans() {
  static const auto* const kPlans = [] {
    auto* plans = new std::vector<std::unique_ptr<KindPlan>>;
    for (const apis::Kind& kind : apis::Registry().all()) {
      if (kind.managed()) plans->push_back(std::make_unique<KindPlan>(kind));
    }
    return plans;
  }();
  return *kPlans;
}

// The same members in the opposite order.
Value Reversed(const Value& object, Allocator& allocator) {
  Value reversed(rapidjson::kObjectType);
  for (auto member = object.MemberEnd(); member != object.MemberBegin();) {
    --member;
    reversed.AddMember(Value(member->name, allocator), Value(member->value, allocator), allocator);
  }
  return reversed;
}

bool HasEachOnce(const Value& object) {
  std::set<absl::string_view> names;
  for (const auto& member : object.GetObject()) names.insert(json::String(member.name));
  return names.size() == object.MemberCount();
}

// Of texts in a status, at any depth.
void CheckTexts(const Value& value) {
  if (value.IsString()) {
    const absl::string_view text = json::String(value);
    Check(text.size() <= kLongestText, "a text in a status is too long", text);
    Check(Utf8(text) == text, "a text in a status is not UTF-8", text);
  } else if (value.IsArray()) {
    for (const Value& item : value.GetArray()) CheckTexts(item);
  } else if (value.IsObject()) {
    for (const auto& member : value.GetObject()) CheckTexts(member.value);
  }
}

// Every reference gets an id where its field is looked for.
void ResolveAll(const KindPlan& plan, Value& parameters, Allocator& allocator) {
  for (const schema::ReferenceUse& use : schema::FindReferences(plan.parameters, parameters))
    schema::SetResolved(use, {"an-id"}, allocator);
  for (const schema::ReferenceUse& use : schema::FindReferences(plan.parameters, parameters)) {
    const Value* id = json::Find(*use.holder, {use.field->json});
    Check(id != nullptr && !json::IsEmpty(*id), "a reference was resolved, but its field is empty", use.path);
  }
}

void CheckParameters(const KindPlan& plan, const Value& spec, Allocator& allocator) {
  Value parameters = schema::ParametersForCreate(plan.parameters, spec, allocator);
  ResolveAll(plan, parameters, allocator);
  const Value sent = schema::EncodeForCreate(plan.parameters, parameters, allocator);
  const std::string body = json::Write(sent);
  Check(json::Parse(body).ok(), "what is sent is not JSON", body);
  for (const schema::Change& change : schema::Diff(plan.parameters, parameters, sent, allocator)) {
    Check(false, "what was sent is not what is wanted", change.text);
  }
}

void CheckObservation(const KindPlan& plan, const Value& cloud, Allocator& allocator) {
  const Value seen = schema::Decode(plan.observation, cloud, allocator);
  CheckTexts(seen);
  const std::string text = json::Write(seen);
  const absl::StatusOr<Document> stored = json::Parse(text);
  Check(stored.ok(), "a status is not JSON", text);
  Check(json::Write(*stored) == text, "a status changes when it is written again", text);
  if (!cloud.IsObject() || !HasEachOnce(cloud)) return;
  const Value again = schema::Decode(plan.observation, Reversed(cloud, allocator), allocator);
  Check(json::Write(again) == text, "the order in which a service writes makes a difference", text);
}

// Conditions that somebody wrote before us stay, and ours are the same the second time.
void CheckConditions(const Value* before, Allocator& allocator) {
  const std::vector<kube::Condition> now = {{.type = "Ready", .status = kube::Condition::Status::kFalse, .reason = "Creating"}};
  const Value once = kube::UpdateConditions(before, now, 1, absl::UnixEpoch(), allocator);
  const Value twice = kube::UpdateConditions(&once, now, 1, absl::UnixEpoch() + absl::Hours(1), allocator);
  Check(json::Write(once) == json::Write(twice), "conditions change though nothing has", json::Write(twice));
}

void CheckInput(Document& input) {
  static const Value kNothing(rapidjson::kObjectType);
  const absl::string_view kind = json::String(input, {"kind"});
  const Value* spec = json::Find(input, {"spec"});
  const Value* cloud = json::Find(input, {"cloud"});
  for (const auto& plan : Plans()) {
    if (!kind.empty() && kind != plan->kind.reference()) continue;
    CheckParameters(*plan, spec == nullptr ? kNothing : *spec, input.GetAllocator());
    CheckObservation(*plan, cloud == nullptr ? kNothing : *cloud, input.GetAllocator());
  }
  CheckConditions(json::Find(input, {"status", "conditions"}), input.GetAllocator());
}

}  // namespace
}  // namespace kupen::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  absl::StatusOr<rapidjson::Document> input = kupen::json::Parse(kupen::fuzz::Text(data, size));
  if (input.ok()) kupen::fuzz::CheckInput(*input);
  return 0;
}
