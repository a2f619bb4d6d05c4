#include "provider/managed/policies.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "provider/json/json.h"

namespace kupen::managed {

uint8_t Policies::ActionNamed(absl::string_view name) {
  if (name == "Observe") return kObserve;
  if (name == "Create") return kCreate;
  if (name == "Update") return kUpdate;
  if (name == "Delete") return kDelete;
  if (name == "LateInitialize") return kLateInitialize;
  return 0;
}

// What Crossplane's own providers accept: nothing, or Observe with a combination that has a use.
bool Policies::Accepted(uint8_t actions) {
  if (actions == 0) return true;
  if ((actions & kObserve) == 0) return false;
  if ((actions & kCreate) != 0) return true;
  // Without Create: what was made elsewhere is imported, changed or deleted, but deletion goes with nothing else.
  return (actions & kDelete) == 0 || actions == (kObserve | kDelete);
}

absl::StatusOr<Policies> Policies::Parse(const rapidjson::Value* list) {
  if (list == nullptr || list->IsNull()) return Policies(kAll);
  if (!list->IsArray()) return absl::InvalidArgumentError("spec.managementPolicies is not a list");
  uint8_t actions = 0;
  for (const rapidjson::Value& item : list->GetArray()) {
    const absl::string_view name = json::String(item);
    if (name == "*" && list->Size() == 1) return Policies(kAll);
    const uint8_t action = ActionNamed(name);
    if (action == 0) {
      return absl::InvalidArgumentError(absl::StrCat("spec.managementPolicies: \"", name,
                                                     "\" is not allowed here: either \"*\" alone, or any of Observe, Create, "
                                                     "Update, Delete, LateInitialize"));
    }
    actions |= action;
  }
  if (!Accepted(actions)) {
    return absl::InvalidArgumentError(absl::StrCat("spec.managementPolicies ", json::Write(*list),
                                                   " is no set that works: it needs Observe, and Delete needs ",
                                                   "Create unless it stands with Observe alone"));
  }
  return Policies(actions);
}

}  // namespace kupen::managed
