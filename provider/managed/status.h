// An object's status: what the last look at it and at the cloud has shown.
//
//   Report report{.phase = Phase::kAvailable, …};
//   const rapidjson::Value status = RenderStatus(report, object, clock.Now(), allocator);
//
// The same report gives the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "provider/managed/resolver.h"
#include "provider/schema/codec.h"
#include "rapidjson/document.h"

namespace kupen::managed {

// The reason of the condition Ready, which is True for kAvailable alone.
enum class Phase : uint8_t { kCreating, kAvailable, kUnavailable, kDeleting };

// What Synced says then.
inline constexpr absl::string_view kPausedMessage = "the object is paused: nothing is done about it";

struct Report {
  // Nothing: the cloud could not be asked, so all that is known of it is what was known before.
  std::optional<Phase> phase = std::nullopt;
  // Why it is not available, if there is more to say than the phase.
  std::string phase_message = "";
  // What kept us from doing what is to be done.
  absl::Status problem = absl::OkStatus();
  // Trying again will not help until something changes.
  bool stalled = false;
  bool paused = false;
  // Not available, and nothing is to be done about that: somebody wanted it so.
  bool at_rest = false;
  // What the cloud has otherwise than the user wants it, and we may not or cannot change; or have tried to, in vain.
  std::string drift = "";
  bool update_failed = false;
  // status.atProvider; null if the object does not exist in the cloud.
  rapidjson::Value observation = rapidjson::Value();
  std::vector<Resolved> references = {};
  std::string external_id = "";
  std::string address = "";
  std::string region = "";
  std::string cluster_id = "";
  // The value of crossplane.io/reconcile-requested-at that has been handled.
  std::string handled_request = "";
};

// Moves the observation out of the report. Whatever else the object's present status has, other people's conditions, is kept.
rapidjson::Value RenderStatus(Report& report, const rapidjson::Value& object, absl::Time now, schema::Allocator& allocator);

}  // namespace kupen::managed
