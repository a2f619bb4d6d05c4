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

// For the list that is under way after a start.
constexpr absl::Duration kFirstList = absl::Seconds(10);
// For the mirror's look at what has just been made: it takes all of them at once.
constexpr absl::Duration kFirstLook = absl::Seconds(10);

}  // namespace

absl::StatusOr<Pass::Existence> Pass::Locate() {
  const std::string named(Annotation(object_.json, kExternalName));
  if (named == memory_.id) memory_.id_recorded = true;
  if (memory_.id_recorded && !named.empty() && named != memory_.id) {
    // The user means another object from now on.
    memory_.id = named;
    memory_.seen_alive = false;
  }
  id_ = memory_.id.empty() ? named : memory_.id;
  if (!id_.empty()) return LocateById();
  if (memory_.may_exist) return LocateByMarker();
  // Nothing was sent yet in this life, nor in an earlier one: that leaves the finalizer.
  if (policies_.may_create() || deleting()) return Existence::kAbsent;
  if (!policies_.may_update() && !policies_.may_delete()) return LocateByParameters();
  return absl::InvalidArgumentError(absl::StrCat("which object is meant needs the annotation ", kExternalName,
                                                 ": spec.managementPolicies has no Create, and what may be changed or deleted "
                                                 "is never found by its parameters alone"));
}

// After a start, or with other credentials: one list costs less than a question for each object.
bool Pass::AwaitsFirstList() const {
  return json::String(object_.json, {"status", "atProvider", "id"}) == id_ &&
         shared_.options.clock.Now() < memory_.scope_since + kFirstList;
}

// Some services say no more of a new object than its id (Nova). The mirror has been told to look soon; our own writes bring us
// back before that.
bool Pass::AwaitsFirstLook() const {
  return id_ == memory_.id && !deleting() && shared_.options.clock.Now() < memory_.posted + kFirstLook;
}

// Whether the mirror's word is not enough: the user wants to know what is there now, or has asked for a look more often than
// there are lists.
bool Pass::MustAsk() const {
  const absl::string_view request = Annotation(object_.json, kRequestedAt);
  if (!request.empty() && request != json::String(object_.json, {"status", "lastHandledReconcileAt"})) return true;
  return poll_.has_value() && shared_.options.clock.Now() >= memory_.asked + *poll_;
}

absl::StatusOr<Pass::Existence> Pass::LocateById() {
  shared_.tracker.Track(key_, scope_, *mirror_, id_);
  const std::optional<openstack::MirroredObject> seen = mirror_->Find(id_);
  const openstack::Presence presence = seen.has_value() ? seen->presence : openstack::Presence::kUnknown;
  const bool asked_to_look = MustAsk();
  if (presence == openstack::Presence::kUnknown && !asked_to_look && AwaitsFirstList()) {
    wait_ = kFirstList;
    return Existence::kUnknown;
  }
  if (presence == openstack::Presence::kUnknown && !asked_to_look && AwaitsFirstLook()) {
    wait_ = memory_.posted + kFirstLook - shared_.options.clock.Now();
    return Existence::kUnknown;
  }
  Existence existence = Existence::kAbsent;
  if (seen.has_value() && presence == openstack::Presence::kPresent && !asked_to_look) {
    ASSIGN_OR_RETURN(cloud_, json::Parse(*seen->body));
    existence = Existence::kPresent;
  } else if (presence == openstack::Presence::kUnknown || asked_to_look) {
    AwaitRate();
    ASSIGN_OR_RETURN(existence, AskFor(id_));
  }
  if (existence == Existence::kAbsent && !memory_.deleted) {
    // Before anything else is said about it: the status remembers the project.
    RETURN_IF_ERROR(CheckSight());
    // What a mirror took for gone may be in sight again, as when a lost role was given back.
    if (presence == openstack::Presence::kGone) {
      AwaitRate();
      ASSIGN_OR_RETURN(existence, AskFor(id_));
    }
  }
  if (existence == Existence::kPresent) {
    memory_.seen_alive = true;
    memory_.may_exist = false;
    return RememberSight();
  }
  // If we did not see it go, it may have been created anew already, under another id.
  if (kind_.HasMarker() && HasExisted() && !memory_.seen_alive && !policies_.only_observes()) memory_.may_exist = true;
  return memory_.may_exist && kind_.HasMarker() ? LocateByMarker() : Existence::kAbsent;
}

absl::StatusOr<Pass::Existence> Pass::AskFor(const std::string& id) {
  memory_.asked = shared_.options.clock.Now();
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
    ASSIGN_OR_RETURN(id_, FirstOf(ids));
    Step(CrashAt::kFound);
    RETURN_IF_ERROR(RecordId(id_));
    shared_.tracker.Track(key_, scope_, *mirror_, id_);
    memory_.may_exist = false;
    return AskFor(id_);
  }
  const absl::Time now = shared_.options.clock.Now();
  memory_.absent_since = std::min(memory_.absent_since, now);
  wait_ = memory_.absent_since + shared_.options.lost_create_pause - now;
  if (wait_ > absl::ZeroDuration()) {
    // What an earlier process has said to be wrong stays to be seen: most likely the create was refused.
    if (id_.empty() && memory_.lost_answer.ok() && !memory_.last_problem.empty() && !deleting()) return Existence::kUnknown;
    report_.phase = deleting() ? Phase::kDeleting : Phase::kCreating;
    report_.phase_message = std::string(kLooksTwice);
    report_.problem = memory_.lost_answer;
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
  memory_.id_recorded = false;
  const absl::Status recorded = writer_.AddFinalizer(object_, {{std::string(kExternalName), id}});
  memory_.written = object_.stored;
  return recorded;
}

bool Pass::HasExisted() const {
  return !json::String(object_.json, {"status", "atProvider", "id"}).empty() ||
         (kind_.HasMarker() && !Annotation(object_.json, kCreatedWith).empty());
}

}  // namespace kupen::managed
