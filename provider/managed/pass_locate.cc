// The part of a pass that finds out whether the object exists in the cloud.
#include <utility>

#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/managed/cloud_search.h"
#include "provider/managed/created_with.h"
#include "provider/managed/pass.h"
#include "provider/openstack/error.h"

namespace kupen::managed {
namespace {

// How far apart two lists must agree that a create had no effect: what a service does after it has dropped the connection takes
// less.
constexpr absl::Duration kBetweenLists = absl::Seconds(60);
// For the list that is under way after a start.
constexpr absl::Duration kFirstList = absl::Seconds(10);

constexpr absl::string_view kTakeOver = "m.kupenstack.io/take-over";
constexpr absl::string_view kRequestedAt = "crossplane.io/reconcile-requested-at";

}  // namespace

absl::StatusOr<Pass::Existence> Pass::Locate() {
  id_ = memory_.id.empty() ? std::string(Annotation(object_.json, kExternalName)) : memory_.id;
  if (!id_.empty()) return LocateById();
  if (policies_.only_observes() || !policies_.may_create()) return LocateByParameters();
  // Nothing was sent yet in this life, nor in an earlier one: that leaves the finalizer.
  if (!memory_.may_exist) return Existence::kAbsent;
  return LocateByMarker();
}

absl::StatusOr<Pass::Existence> Pass::LocateById() {
  shared_.tracker.Track(key_, scope_, *mirror_, id_);
  const std::optional<openstack::MirroredObject> seen = mirror_->Find(id_);
  const openstack::Presence presence = seen.has_value() ? seen->presence : openstack::Presence::kUnknown;
  const bool asked_to_look =
      !Annotation(object_.json, kRequestedAt).empty() &&
      !(Annotation(object_.json, kRequestedAt) == json::String(object_.json, {"status", "lastHandledReconcileAt"}));
  if (presence == openstack::Presence::kUnknown && HasExisted() && !asked_to_look && !memory_.seen_alive &&
      shared_.options.clock.Now() < memory_.first_seen + kFirstList) {
    // The list after the start has it, or asks for it.
    wait_ = kFirstList;
    return Existence::kUnknown;
  }
  Existence existence = Existence::kAbsent;
  if (presence == openstack::Presence::kPresent && !asked_to_look) {
    ASSIGN_OR_RETURN(cloud_, json::Parse(*seen->body));
    existence = Existence::kPresent;
  } else if (presence == openstack::Presence::kUnknown || asked_to_look) {
    ASSIGN_OR_RETURN(existence, AskFor(id_));
  }
  if (existence == Existence::kPresent) {
    memory_.seen_alive = true;
    memory_.may_exist = false;
    return existence;
  }
  // If we did not see it go, it may have been created anew already, under another id.
  if (kind_.HasMarker() && HasExisted() && !memory_.seen_alive) memory_.may_exist = true;
  return memory_.may_exist && kind_.HasMarker() ? LocateByMarker() : Existence::kAbsent;
}

absl::StatusOr<Pass::Existence> Pass::AskFor(const std::string& id) {
  absl::StatusOr<rapidjson::Document> answer = rest_->Get(id, stop_, Call());
  if (absl::IsNotFound(answer.status()) && openstack::HttpStatusOf(answer.status()) != 0) {
    mirror_->ObserveGone(id);
    return Existence::kAbsent;
  }
  RETURN_IF_ERROR(answer.status());
  if (json::String(*answer, {"status"}) == "DELETED") {
    mirror_->ObserveGone(id);
    return Existence::kAbsent;
  }
  TakeCloud(*std::move(answer));
  return Existence::kPresent;
}

void Pass::TakeCloud(rapidjson::Document object) {
  mirror_->Observe(object);
  cloud_ = std::move(object);
}

// What a create whose answer we have not seen may have made.
absl::StatusOr<Pass::Existence> Pass::LocateByMarker() {
  RETURN_IF_ERROR(mirror_->Refresh(stop_));
  const std::vector<std::string> ids = mirror_->FindByMarker(marker().Text());
  if (!ids.empty()) {
    id_ = ids.front();
    RETURN_IF_ERROR(RecordId(id_));
    shared_.tracker.Track(key_, scope_, *mirror_, id_);
    memory_.may_exist = false;
    return AskFor(id_);
  }
  const absl::Time now = shared_.options.clock.Now();
  memory_.absent_since = std::min(memory_.absent_since, now);
  wait_ = memory_.absent_since + kBetweenLists - now;
  if (wait_ > absl::ZeroDuration()) {
    report_.phase = Phase::kCreating;
    report_.phase_message = "looks twice whether an earlier create had an effect";
    return Existence::kUnknown;
  }
  memory_.may_exist = false;
  memory_.absent_since = absl::InfiniteFuture();
  return Existence::kAbsent;
}

absl::StatusOr<Pass::Existence> Pass::LocateByParameters() {
  rapidjson::Document scratch;
  rapidjson::Value parameters(rapidjson::kObjectType);
  if (const rapidjson::Value* given = json::Find(object_.json, {"spec", "forProvider"})) {
    parameters.CopyFrom(*given, scratch.GetAllocator());
  }
  ASSIGN_OR_RETURN(const rapidjson::Value resolved, Resolve(std::move(parameters), scratch.GetAllocator()));
  ASSIGN_OR_RETURN(id_, FindByParameters(scope_->session(), kind_, resolved, stop_));
  RETURN_IF_ERROR(RecordId(id_));
  shared_.tracker.Track(key_, scope_, *mirror_, id_);
  return AskFor(id_);
}

absl::Status Pass::RecordId(const std::string& id) {
  memory_.id = id;
  const absl::Status recorded = writer_.AddFinalizer(object_, {{std::string(kExternalName), id}});
  memory_.written = object_.stored;
  return recorded;
}

bool Pass::HasExisted() const {
  return !json::String(object_.json, {"status", "atProvider", "id"}).empty() ||
         (kind_.HasMarker() && !Annotation(object_.json, kCreatedWith).empty());
}

absl::Status Pass::CheckOwner() const {
  const std::optional<Marker> owner = kind_.MarkerIn(cloud_);
  if (!owner.has_value() || owner->cluster == marker().cluster || Annotated(kTakeOver, "true")) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(kind_.plan.kind.name, " ", id_, " belongs to another Kubernetes cluster (",
                                                 owner->cluster, "); if that cluster is gone, set the annotation ", kTakeOver,
                                                 ": \"true\" to take it over"));
}

}  // namespace kupen::managed
