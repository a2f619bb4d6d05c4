// The part of a pass that compares the cloud with what the user wants, and changes what differs.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "provider/managed/created_with.h"
#include "provider/managed/pass.h"

namespace kupen::managed {
namespace {

using rapidjson::Document;
using rapidjson::Value;

}  // namespace

runtime::Outcome Pass::Compare() {
  if (const absl::Status owner = CheckOwner(); !owner.ok()) {
    // Were it to vanish, that would be none of our business.
    memory_.seen_alive = false;
    return Fail("CannotObserveExternalResource", "observe failed", owner);
  }
  if (const absl::Status marked = RewriteMarker(); !marked.ok()) {
    return Fail("CannotUpdateExternalResource", "update failed", marked);
  }
  if (memory_.id != id_) memory_.id = id_;
  if (!Annotated(kExternalName, id_) || !HasFinalizer(object_.json)) {
    if (const absl::Status recorded = RecordId(id_); !recorded.ok()) return Finish(Outcome::Retry(), false);
  }

  DeleteTwins();

  const Document shown = kind_.Shown(cloud_);
  const CloudState state = kind_.StateOf(shown);
  if (state == CloudState::kUnknown) {
    return Fail("CannotObserveExternalResource", "observe failed",
                absl::UnavailableError(absl::StrCat("the cloud cannot tell how ", kind_.plan.kind.name, " ", id_,
                                                    " is: it says ", kind_.StateName(shown))));
  }
  mirror_->SetBusy(id_, state == CloudState::kInTransition);
  ReportState(shown, state);
  const bool settled = state != CloudState::kInTransition;
  if (settled) {
    const absl::Status published = Publish();
    if (!published.ok()) return Fail("CannotPublishConnectionDetails", "cannot publish connection details", published);
  }
  if (policies_.only_observes()) return Finish(Outcome::AwaitChange(), settled);

  Document scratch;
  Value given(rapidjson::kObjectType);
  if (const Value* for_provider = json::Find(object_.json, {"spec", "forProvider"})) {
    given.CopyFrom(*for_provider, scratch.GetAllocator());
  }
  const absl::StatusOr<Value> parameters = Resolve(std::move(given), scratch.GetAllocator());
  if (!parameters.ok()) return Fail("CannotResolveResourceReferences", "cannot resolve references", parameters.status());

  if (state == CloudState::kInTransition && kind_.hooks != nullptr) {
    if (const absl::Status advanced = Advance(shown); !advanced.ok()) {
      return Fail("CannotCreateExternalResource", kCreateFailed, advanced);
    }
  }
  const Changes changes =
      FindChanges(kind_, *parameters, shown, Annotation(object_.json, kCreatedWith), scratch.GetAllocator());
  if (changes.AreInPlace() && policies_.may_update() && settled) return Update(changes);
  if (!changes.AreInPlace()) memory_.last_update.clear();
  if (changes.AreInPlace()) report_.drift = absl::StrCat("differs from the cloud: ", changes.Text());
  if (!changes.replacing.empty() || !changes.impossible.empty()) return Replace(changes);
  if (!changes.AreInPlace()) memory_.last_good = shared_.options.clock.Now();
  return Finish(Outcome::AwaitChange(), settled);
}

// With all that an object is made of: its data may be named in initProvider alone.
absl::Status Pass::Advance(const Value& shown) {
  Document scratch;
  Value parameters =
      schema::ParametersForCreate(kind_.plan.parameters, *json::Find(object_.json, {"spec"}), scratch.GetAllocator());
  ASSIGN_OR_RETURN(const Value resolved, Resolve(std::move(parameters), scratch.GetAllocator()));
  return kind_.hooks->Advance(Hook(), id_, resolved, shown);
}

void Pass::ReportState(const Value& shown, CloudState state) {
  Document::AllocatorType& allocator = report_memory_.GetAllocator();
  report_.external_id = id_;
  report_.observation = schema::Decode(kind_.plan.observation, shown, allocator);
  if (kind_.hooks != nullptr) {
    kind_.hooks->Observe(shown, report_.observation, allocator);
    report_.address = kind_.hooks->Address(shown);
  }
  json::Set(report_.observation, "id", id_, allocator);
  switch (state) {
    case CloudState::kReady:
      report_.phase = Phase::kAvailable;
      return;
    case CloudState::kFailed: {
      report_.phase = Phase::kUnavailable;
      report_.stalled = true;
      const absl::string_view fault = json::String(report_.observation, {"fault"});
      report_.phase_message = absl::StrCat("the cloud says ", kind_.StateName(shown), fault.empty() ? "" : ": ", fault);
      return;
    }
    case CloudState::kAtRest:
      report_.at_rest = true;
      report_.phase = Phase::kUnavailable;
      report_.phase_message = absl::StrCat("the cloud says ", kind_.StateName(shown));
      return;
    case CloudState::kUnknown:
    case CloudState::kInTransition:
      report_.phase = kube::IsTrue(object_.json, "Ready") ? Phase::kUnavailable : Phase::kCreating;
      report_.phase_message = absl::StrCat("the cloud says ", kind_.StateName(shown));
      return;
  }
}

absl::Status Pass::Publish() const {
  const std::string secret(json::String(object_.json, {"spec", "writeConnectionSecretToRef", "name"}));
  if (secret.empty()) return absl::OkStatus();
  ConnectionDetails details = {{"id", id_}};
  if (!report_.region.empty()) details["region"] = report_.region;
  if (!report_.address.empty()) details["endpoint"] = report_.address;
  for (const std::string& member : kind_.plan.kind.options.connection()) {
    const Value* value = json::Find(report_.observation, {member});
    if (value != nullptr) details[member] = value->IsString() ? std::string(json::String(*value)) : json::Write(*value);
  }
  return shared_.connections.Publish(key_, kind_.ReferenceTo(*object_.stored), secret, details, stop_);
}

runtime::Outcome Pass::Update(const Changes& changes) {
  const std::string text = changes.Text();
  if (text == memory_.last_update) {
    return FailUpdate(text,
                      absl::FailedPreconditionError(absl::StrCat("the cloud took the change but does not keep it: ", text)));
  }
  ObserveDrift();
  AwaitRate();
  const std::optional<Marker> owner = kind_.MarkerIn(cloud_);
  Step(CrashAt::kUpdateBegins);
  absl::StatusOr<Document> now = SendChanges(kind_, *rest_, id_, owner, changes, cloud_, stop_, Call());
  if (!now.ok()) return FailUpdate(text, now.status());
  Step(CrashAt::kUpdateSent);
  memory_.last_update = text;
  // What a create takes in several requests is one piece of news.
  if (!created_) Tell(kube::EventRecorder::Type::kNormal, "UpdatedExternalResource", text);
  TakeCloud(*std::move(now));
  return Compare();
}

runtime::Outcome Pass::FailUpdate(absl::string_view changes, const absl::Status& problem) {
  report_.drift = absl::StrCat("differs from the cloud: ", changes);
  report_.update_failed = true;
  return Fail("CannotUpdateExternalResource", "update failed", problem);
}

// What cannot be changed in place: a new object with the user's consent, else a word about it.
runtime::Outcome Pass::Replace(const Changes& changes) {
  const std::string replacing = absl::StrJoin(changes.replacing, ", ");
  const std::string impossible = absl::StrJoin(changes.impossible, ", ");
  report_.drift =
      absl::StrCat("differs from the cloud: ", impossible, impossible.empty() || replacing.empty() ? "" : ", ", replacing);
  if (!policies_.may_update()) return Finish(Outcome::AwaitChange(), true);
  if (!impossible.empty()) {
    return Fail("CannotUpdateExternalResource", "update failed",
                absl::InvalidArgumentError(absl::StrCat("the cloud cannot change this once the object exists: ", impossible,
                                                        "; change it back, or make another object")));
  }
  const bool consent = json::String(object_.json, {"spec", "replacePolicy"}) == "WhenRequired";
  if (!consent || !policies_.may_delete() || !policies_.may_create()) {
    return Fail("CannotUpdateExternalResource", "update failed",
                absl::InvalidArgumentError(absl::StrCat("the cloud cannot change this in place: ", replacing,
                                                        "; set spec.replacePolicy: WhenRequired to have the object deleted and "
                                                        "created anew, or change it back")));
  }
  if (memory_.delete_sent == absl::InfinitePast()) {
    Tell(kube::EventRecorder::Type::kNormal, "ReplacingExternalResource", replacing);
  }
  report_.phase = Phase::kCreating;
  report_.phase_message = "being replaced";
  return DeleteFromCloud();
}

}  // namespace kupen::managed
