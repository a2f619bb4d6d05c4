// The part of a pass that finds out whose an object of the cloud is: ours, another object's or another cluster's, and whether
// one that is not found may only be out of sight.
#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/managed/created_with.h"
#include "provider/managed/pass.h"

namespace kupen::managed {
namespace {

using rapidjson::Value;

constexpr absl::string_view kTakeOver = "m.kupenstack.io/take-over";

std::string RolesOf(const openstack::Token& token) { return absl::StrJoin(token.roles, "+"); }

// Those of the first that the second has not.
std::vector<std::string> LostRoles(absl::string_view before, absl::string_view now) {
  const std::vector<std::string> had = absl::StrSplit(before, '+', absl::SkipEmpty());
  const std::vector<std::string> has = absl::StrSplit(now, '+', absl::SkipEmpty());
  std::vector<std::string> lost;
  absl::c_copy_if(had, std::back_inserter(lost), [&](const std::string& role) { return !absl::c_linear_search(has, role); });
  return lost;
}

// Of several objects that name one id, the first in this order has it.
std::tuple<bool, absl::Time, std::string, std::string> RankOf(const Value& object, absl::string_view id) {
  const bool has_it = json::String(object, {"status", "atProvider", "id"}) == id;
  return {!has_it, Timestamp(object, "creationTimestamp").value_or(absl::InfiniteFuture()),
          std::string(json::String(object, {"metadata", "namespace"})),
          std::string(json::String(object, {"metadata", "name"}))};
}

}  // namespace

// With the roles of that moment: with others it may be out of sight.
absl::StatusOr<Pass::Existence> Pass::RememberSight() {
  ASSIGN_OR_RETURN(const std::shared_ptr<const openstack::Token> token, scope_->session().GetToken(stop_));
  memory_.seen_with = RolesOf(*token);
  return Existence::kPresent;
}

absl::Status Pass::CheckSight() const {
  if (id_.empty() || (!HasExisted() && !memory_.seen_alive)) return absl::OkStatus();
  // Anew: roles that are taken away don't show in a token that was given out before.
  ASSIGN_OR_RETURN(const std::shared_ptr<const openstack::Token> token, scope_->session().GetFreshToken(stop_));
  absl::string_view was = json::String(object_.json, {"status", "atProvider", "projectID"});
  if (was.empty()) was = json::String(object_.json, {"status", "atProvider", "owner"});
  const std::string what = absl::StrCat(kind_.plan.kind.name, " ", id_, " is not in sight");
  if (!was.empty() && !token->project_id.empty() && was != token->project_id) {
    return absl::FailedPreconditionError(absl::StrCat(what, "; it was in project ", was,
                                                      ", but the credentials of spec.providerConfigRef are for project ",
                                                      token->project_id, ": give credentials for the project that it is in"));
  }
  const std::string before =
      memory_.seen_with.empty() ? RolesCreatedWith(Annotation(object_.json, kCreatedWith)) : memory_.seen_with;
  const std::vector<std::string> lost = LostRoles(before, RolesOf(*token));
  if (lost.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      what, "; when it was, the credentials of spec.providerConfigRef had the role ", absl::StrJoin(lost, " and the role "),
      " too: give it back, or delete this object (with managementPolicies that have no Delete) and create it again"));
}

std::string Pass::RolesNow() const {
  const absl::StatusOr<std::shared_ptr<const openstack::Token>> token = scope_->session().GetToken(stop_);
  return token.ok() ? RolesOf(**token) : "";
}

absl::Status Pass::CheckOwner() const {
  const std::optional<Marker> owner = kind_.MarkerIn(cloud_);
  if (owner.has_value() && owner->cluster != marker().cluster && !Annotated(kTakeOver, "true")) {
    return absl::InvalidArgumentError(absl::StrCat(kind_.plan.kind.name, " ", id_, " belongs to another Kubernetes cluster (",
                                                   owner->cluster, "); if that cluster is gone, set the annotation ", kTakeOver,
                                                   ": \"true\" to take it over"));
  }
  return CheckRivals();
}

// Two that both may change an object would undo each other's work, and one's deletion would take it from the other.
absl::Status Pass::CheckRivals() const {
  if (policies_.only_observes()) return absl::OkStatus();
  const std::vector<runtime::Key> owners = shared_.tracker.OwnersOf(kind_.name, id_);
  if (owners.size() < 2) return absl::OkStatus();
  const auto rank = RankOf(object_.json, id_);
  for (const runtime::Key& rival : owners) {
    const kube::ObjectPtr stored = rival == key_ ? nullptr : shared_.options.objects.Get(rival);
    if (stored == nullptr || !IsSameCloud(rival)) continue;
    const absl::StatusOr<rapidjson::Document> object = json::Parse(stored->json());
    if (!object.ok() || rank < RankOf(*object, id_)) continue;
    const absl::StatusOr<Policies> policies = Policies::Parse(json::Find(*object, {"spec", "managementPolicies"}));
    if (policies.ok() && policies->only_observes()) continue;
    return absl::FailedPreconditionError(absl::StrCat(kind_.plan.kind.name, " ", id_, " is managed by ", rival.object_namespace,
                                                      "/", rival.name, " already: name another in the annotation ",
                                                      kExternalName,
                                                      ", or only observe it with managementPolicies [\"Observe\"]"));
  }
  return absl::OkStatus();
}

// Ids that are names are those of a user or project: in another scope they mean something else.
bool Pass::IsSameCloud(const runtime::Key& rival) const {
  const std::shared_ptr<access::Scope> scope = shared_.tracker.ScopeOf(rival);
  if (scope == nullptr) return false;
  if (scope == scope_) return true;
  const openstack::Cloud& ours = scope_->cloud();
  const openstack::Cloud& theirs = scope->cloud();
  return rest_->spec().id_key == "id" && ours.auth_url == theirs.auth_url && ours.region == theirs.region;
}

// What was taken over from another cluster, or from an object of this one that is no more, says from now on whose it is.
absl::Status Pass::RewriteMarker() {
  const std::optional<Marker> owner = kind_.MarkerIn(cloud_);
  if (!owner.has_value() || *owner == marker() || !policies_.may_update()) return absl::OkStatus();
  const auto field = absl::c_find_if(kind_.plan.parameters.fields, [this](const schema::FieldPlan& candidate) {
    return !candidate.wire.empty() && candidate.wire.front() == kind_.options().identity().marker();
  });
  if (field == kind_.plan.parameters.fields.end()) return absl::OkStatus();
  rapidjson::Document shown = kind_.Shown(cloud_);
  Changes changes;
  (field->options.has_subresource() ? changes.subresources : changes.in_place)
      .push_back(
          {.field = &*field, .wanted = Value(shown[field->wire.front().c_str()], shown.GetAllocator()), .text = "marker"});
  AwaitRate();
  ASSIGN_OR_RETURN(rapidjson::Document now, SendChanges(kind_, *rest_, id_, marker(), changes, cloud_, stop_, Call()));
  TakeCloud(std::move(now));
  Tell(kube::EventRecorder::Type::kNormal, "TookOverExternalResource",
       absl::StrCat(id_, " had the marker ", owner->Text(), " and has ours now"));
  return absl::OkStatus();
}

// Of those that carry our marker: the one that the object names, else the oldest.
absl::StatusOr<std::string> Pass::FirstOf(const std::vector<std::string>& ids) const {
  const std::string recorded(Annotation(object_.json, kExternalName));
  if (ids.size() == 1 || absl::c_linear_search(ids, recorded)) return ids.size() == 1 ? ids.front() : recorded;
  std::pair<std::string, std::string> oldest;
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(const rapidjson::Document object, rest_->Get(id, stop_, Call()));
    const absl::string_view created = json::String(object, {"created_at"});
    const absl::string_view or_called = json::String(object, {"created"});
    std::pair<std::string, std::string> candidate(created.empty() ? or_called : created, id);
    if (oldest.second.empty() || candidate < oldest) oldest = std::move(candidate);
  }
  return oldest.second;
}

// Two are there only if a service took longer than a minute for a create that it had not answered. The marker says that both
// were made by this cluster for this very object.
void Pass::DeleteTwins() {
  if (!kind_.HasMarker() || policies_.only_observes()) return;
  std::vector<std::string> twins = mirror_->FindByMarker(marker().Text());
  std::erase(twins, id_);
  for (const std::string& twin : twins) {
    // As it is now, not as a list had it.
    const absl::StatusOr<rapidjson::Document> object = rest_->Get(twin, stop_, Call());
    if (!object.ok() || kind_.MarkerIn(*object) != marker()) continue;
    AwaitRate();
    const absl::Status deleted = rest_->Delete(twin, stop_, Call());
    const bool gone = deleted.ok() || absl::IsNotFound(deleted);
    Tell(kube::EventRecorder::Type::kWarning, "FoundTwins",
         absl::StrCat("the cloud has two objects that were made for this one: ", id_, " stays, ", twin,
                      gone ? " has been deleted" : absl::StrCat(" could not be deleted: ", deleted.message())));
    if (gone) mirror_->ObserveGone(twin);
  }
}

}  // namespace kupen::managed
