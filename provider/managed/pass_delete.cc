// The part of a pass that deletes the object from the cloud.
#include <utility>

#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/managed/pass.h"

namespace kupen::managed {
namespace {

// A service that has taken the request gets this long before it is asked again.
constexpr absl::Duration kDeletionTime = absl::Seconds(60);

}  // namespace

runtime::Outcome Pass::RunDeletion() {
  if (!HasFinalizer(object_.json)) return Outcome::AwaitChange();
  if (!policies_.may_delete()) return Forget();
  // Others come first: what they wait for may need the object.
  if (json::Array(object_.json, {"metadata", "finalizers"}).Size() > 1) return Outcome::AwaitChange();

  if (std::optional<Outcome> ended = Connect()) return *ended;
  const absl::StatusOr<Existence> existence = Locate();
  if (!existence.ok()) return Fail("CannotObserveExternalResource", "observe failed", existence.status());
  if (*existence == Existence::kUnknown) return Finish(Outcome::After(wait_), false);
  DeleteTwins();
  if (*existence == Existence::kAbsent) {
    if (!id_.empty()) Tell(kube::EventRecorder::Type::kNormal, "DeletedExternalResource", absl::StrCat("deleted ", id_));
    return Forget();
  }
  // What was never ours to touch stays.
  if (!CheckOwner().ok()) return Forget();
  const rapidjson::Document shown = kind_.Shown(cloud_);
  ReportState(shown, kind_.StateOf(shown));
  report_.phase = Phase::kDeleting;
  report_.phase_message.clear();
  report_.stalled = false;
  return DeleteFromCloud();
}

runtime::Outcome Pass::DeleteFromCloud() {
  const absl::Time now = shared_.options.clock.Now();
  if (now < memory_.delete_sent + kDeletionTime) {
    // Compare(), on the way to a replacement, takes it for settled.
    mirror_->SetBusy(id_, true);
    return Finish(Outcome::After(memory_.delete_sent + kDeletionTime - now), true);
  }
  AwaitRate();
  Step(CrashAt::kDeleteBegins);
  const absl::Status deleted = rest_->Delete(id_, stop_, Call());
  Step(CrashAt::kDeleteSent);
  if (!deleted.ok() && !absl::IsNotFound(deleted)) return Fail("CannotDeleteExternalResource", "delete failed", deleted);
  memory_.deleted = deleted.ok();
  const absl::StatusOr<Existence> existence = AskFor(id_);
  if (existence.ok() && *existence == Existence::kAbsent) {
    memory_.delete_sent = absl::InfinitePast();
    // Replaced, or gone for good: the next pass knows.
    return Outcome::After(absl::ZeroDuration());
  }
  memory_.delete_sent = now;
  mirror_->SetBusy(id_, true);
  return Finish(Outcome::After(kDeletionTime), true);
}

// Lets the object go.
runtime::Outcome Pass::Forget() {
  shared_.tracker.Untrack(key_);
  Step(CrashAt::kForgetBegins);
  const absl::Status removed = writer_.RemoveFinalizer(object_);
  Step(CrashAt::kForgotten);
  // Until the mirror hears of it, nobody is to try once more.
  memory_.written = object_.stored;
  if (!removed.ok() && !absl::IsNotFound(removed)) return Outcome::Retry();
  if (shared_.options.metrics != nullptr) {
    if (const std::optional<absl::Time> asked = Timestamp(object_.json, "deletionTimestamp")) {
      shared_.options.metrics->ObserveDeletion(kind_.name, shared_.options.clock.Now() - *asked);
    }
  }
  return Outcome::AwaitChange();
}

}  // namespace kupen::managed
