// status.conditions that change only when something has changed.
//
//   const rapidjson::Value conditions = UpdateConditions(
//       json::Find(status, {"conditions"}), {Ready("Available"), Synced()}, generation, clock.Now(), allocator);
//
// The same state gives the same bytes: sorted by type, no request ids or times in messages, and a transition time that moves
// only with the condition's status. Federations and GitOps tools compare these texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "rapidjson/document.h"

namespace kupen::kube {

struct Condition {
  enum class Status : uint8_t { kTrue, kFalse, kUnknown };

  std::string type;
  Status status;
  std::string reason;
  std::string message = "";
};

// The new list: conditions of other types are kept from the previous list (null if there was none).
rapidjson::Value UpdateConditions(const rapidjson::Value* previous, const std::vector<Condition>& now, int64_t generation,
                                  absl::Time time, rapidjson::Document::AllocatorType& allocator);

// The condition of that type in an object's status; null if it has none. IsTrue: it has, and its status is True.
const rapidjson::Value* FindCondition(const rapidjson::Value& object, absl::string_view type);
bool IsTrue(const rapidjson::Value& object, absl::string_view type);

// A service's message without what differs from one answer to the next: request ids, times, memory addresses. One line, at most
// 512 bytes.
std::string StableMessage(absl::string_view message);

}  // namespace kupen::kube
