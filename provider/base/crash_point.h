// Named places at which the process can be made to die, to see what the next one makes of what it finds.
//
//   CrashPoint(CrashAt::kCreateSent, object_name);      // the cloud has it, and nobody else knows
//
// What users run has no handler, and so this does nothing; the program of the crash tests has one.
#pragma once

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace kupen {

enum class CrashAt : std::uint8_t {
  // Nothing has been said or done yet; the object in Kubernetes says that something will be; the cloud has made it; Kubernetes
  // knows its id.
  kCreateBegins,
  kCreateAnnounced,
  kCreateSent,
  kCreateRecorded,
  // An object that an earlier process made has been found by its marker.
  kFound,
  kStatusBegins,
  kStatusWritten,
  kUpdateBegins,
  kUpdateSent,
  kDeleteBegins,
  kDeleteSent,
  // The object is gone from the cloud, but not from Kubernetes.
  kForgetBegins,
  kForgotten,
};

// By the order above.
inline constexpr std::array<absl::string_view, 13> kCrashPoints = {
    "create-begins", "create-announced", "create-sent",   "create-recorded", "found",         "status-begins", "status-written",
    "update-begins", "update-sent",      "delete-begins", "delete-sent",     "forget-begins", "forgotten"};

using CrashHandler = void (*)(absl::string_view point, absl::string_view object);

// Before any thread comes to a point.
void SetCrashHandler(CrashHandler handler);

void CrashPoint(CrashAt point, absl::string_view object);

}  // namespace kupen
