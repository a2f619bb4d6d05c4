// The status of a ProviderConfig or ClusterProviderConfig. The same state gives the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "provider/access/probe.h"
#include "provider/kube/conditions.h"
#include "rapidjson/document.h"

namespace kupen::access {

struct ConfigStatus {
  kube::Condition ready;
  std::optional<Findings> cloud = std::nullopt;
  int64_t users = 0;

  // What the object says of itself now: its Ready condition and its users.
  static ConfigStatus Of(const rapidjson::Value& object);

  // As the object's new status: what it has of other conditions, and the times of those that stay, are kept.
  rapidjson::Value Render(const rapidjson::Value& object, absl::Time now, rapidjson::Document::AllocatorType& allocator) const;
};

}  // namespace kupen::access
