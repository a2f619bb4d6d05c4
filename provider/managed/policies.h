// spec.managementPolicies: what the provider may do with the object in the cloud.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "rapidjson/document.h"

namespace kupen::managed {

class Policies {
 public:
  // Takes the list as it stands in the spec; absent or null means everything. Only the sets that Crossplane accepts: the error
  // names the set and those that come nearest.
  static absl::StatusOr<Policies> Parse(const rapidjson::Value* list);

  // What a spec means that says nothing about it.
  static Policies Everything() { return Policies(kAll); }

  // Nothing at all may be done, not even a look: as with the pause annotation.
  bool paused() const { return actions_ == 0; }
  bool may_create() const { return (actions_ & kCreate) != 0; }
  bool may_update() const { return (actions_ & kUpdate) != 0; }
  // Else the object in the cloud stays when ours goes.
  bool may_delete() const { return (actions_ & kDelete) != 0; }
  bool may_late_initialize() const { return (actions_ & kLateInitialize) != 0; }
  bool only_observes() const { return actions_ == kObserve; }

 private:
  enum Action : uint8_t { kObserve = 1, kCreate = 2, kUpdate = 4, kDelete = 8, kLateInitialize = 16 };
  static constexpr uint8_t kAll = kObserve | kCreate | kUpdate | kDelete | kLateInitialize;

  explicit Policies(uint8_t actions) : actions_(actions) {}
  static uint8_t ActionNamed(absl::string_view name);
  static bool Accepted(uint8_t actions);

  uint8_t actions_;
};

}  // namespace kupen::managed
