#include "provider/kube/conditions.h"

#include <map>
#include <regex>
#include <utility>

#include "absl/strings/ascii.h"
#include "provider/base/text.h"
#include "provider/json/json.h"

namespace kupen::kube {
namespace {

using rapidjson::Value;
using Allocator = rapidjson::Document::AllocatorType;

constexpr size_t kLongestMessage = 512;

absl::string_view Text(Condition::Status status) {
  switch (status) {
    case Condition::Status::kTrue:
      return "True";
    case Condition::Status::kFalse:
      return "False";
    case Condition::Status::kUnknown:
      return "Unknown";
  }
  return "Unknown";
}

// Kubernetes' form: UTC, whole seconds.
std::string Timestamp(absl::Time time) { return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone()); }

Value Render(const Condition& condition, const Value* before, int64_t generation, absl::Time time, Allocator& allocator) {
  const bool same_status = before != nullptr && json::String(*before, {"status"}) == Text(condition.status);
  const std::string message = StableMessage(condition.message);
  Value rendered(rapidjson::kObjectType);
  json::Set(rendered, "type", condition.type, allocator);
  json::Set(rendered, "status", Text(condition.status), allocator);
  rendered.AddMember("observedGeneration", generation, allocator);
  json::Set(rendered, "lastTransitionTime",
            same_status ? std::string(json::String(*before, {"lastTransitionTime"})) : Timestamp(time), allocator);
  json::Set(rendered, "reason", condition.reason, allocator);
  if (!message.empty()) json::Set(rendered, "message", message, allocator);
  return rendered;
}

}  // namespace

Value UpdateConditions(const Value* previous, const std::vector<Condition>& now, int64_t generation, absl::Time time,
                       Allocator& allocator) {
  std::map<std::string, const Value*> before;
  if (previous != nullptr) {
    for (const Value& condition : json::Array(*previous)) before[std::string(json::String(condition, {"type"}))] = &condition;
  }
  std::map<std::string, Value> after;
  for (const auto& [type, condition] : before) after[type] = Value(*condition, allocator);
  for (const Condition& condition : now) {
    const auto known = before.find(condition.type);
    after[condition.type] = Render(condition, known == before.end() ? nullptr : known->second, generation, time, allocator);
  }
  Value list(rapidjson::kArrayType);
  for (auto& [type, condition] : after) list.PushBack(condition, allocator);
  return list;
}

const Value* FindCondition(const Value& object, absl::string_view type) {
  for (const Value& condition : json::Array(object, {"status", "conditions"})) {
    if (json::String(condition, {"type"}) == type) return &condition;
  }
  return nullptr;
}

bool IsTrue(const Value& object, absl::string_view type) {
  const Value* condition = FindCondition(object, type);
  return condition != nullptr && json::String(*condition, {"status"}) == "True";
}

std::string StableMessage(absl::string_view message) {
  static const auto* const kVolatile = new std::regex(
      // (HTTP 409) (Request-ID: req-…), and request ids anywhere
      R"(\s*\(Request-ID: [^)]*\))"
      R"(|\breq-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b)"
      // 2026-01-31T12:00:00.123Z and 2026-01-31 12:00:00
      R"(|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?)"
      // <object at 0x7f3a…>
      R"(|\b0x[0-9a-f]{6,})",
      std::regex::icase | std::regex::optimize);
  // Bounded first: what a service sends can be a page of HTML.
  std::string text = Utf8(Cut(message, 4 * kLongestMessage));
  text = std::regex_replace(text, *kVolatile, "");
  absl::RemoveExtraAsciiWhitespace(&text);
  return std::string(Cut(text, kLongestMessage));
}

}  // namespace kupen::kube
