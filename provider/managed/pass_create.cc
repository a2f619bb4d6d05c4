// The part of a pass that creates the object in the cloud.
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/http/transport.h"
#include "provider/json/json.h"
#include "provider/managed/created_with.h"
#include "provider/managed/pass.h"
#include "provider/openstack/error.h"

namespace kupen::managed {
namespace {

using rapidjson::Document;
using rapidjson::Value;

constexpr int kServerErrors = 500;
// A service may remember so many ids of deleted objects that we chose before.
constexpr int kMostAttempts = 1000;

// Whether the service may have done what was asked, though it did not say so.
bool IsAmbiguous(const absl::Status& status) {
  if (http::NeverSent(status)) return false;
  const int http = openstack::HttpStatusOf(status);
  if (http != 0) return http >= kServerErrors;
  return !absl::IsInvalidArgument(status) && !absl::IsUnauthenticated(status);
}

// What people call an object is its name in the cloud too, unless they say otherwise.
void SetDefaultName(const schema::MessagePlan& plan, absl::string_view name, Value& parameters, schema::Allocator& allocator) {
  for (const schema::FieldPlan& field : plan.fields) {
    if (field.json == "name" && json::Find(parameters, {"name"}) == nullptr) json::Set(parameters, "name", name, allocator);
  }
}

}  // namespace

runtime::Outcome Pass::Create() {
  report_.phase = policies_.may_create() ? Phase::kCreating : Phase::kUnavailable;
  if (const absl::Status may = CheckMayCreate(); !may.ok()) return Fail("CannotObserveExternalResource", "observe failed", may);
  Document scratch;
  Value parameters =
      schema::ParametersForCreate(kind_.plan.parameters, *json::Find(object_.json, {"spec"}), scratch.GetAllocator());
  SetDefaultName(kind_.plan.parameters, object_.stored->name(), parameters, scratch.GetAllocator());
  // What references led to before may be gone, too.
  memory_.references.clear();
  report_.references.clear();
  absl::StatusOr<Value> resolved = Resolve(std::move(parameters), scratch.GetAllocator());
  if (!resolved.ok()) return Fail("CannotResolveResourceReferences", "cannot resolve references", resolved.status());
  if (const absl::Status posted = Post(*resolved, scratch.GetAllocator()); !posted.ok()) {
    return Fail("CannotCreateExternalResource", kCreateFailed, posted);
  }
  created_ = true;
  Tell(kube::EventRecorder::Type::kNormal, "CreatedExternalResource", absl::StrCat("created as ", id_));
  if (!cloud_.IsNull()) return Compare();
  // The answer said too little: the mirror will tell.
  mirror_->SetBusy(id_, true);
  return Finish(Outcome::AwaitChange(), false);
}

absl::Status Pass::CheckMayCreate() const {
  const std::string what = absl::StrCat(kind_.plan.kind.name, id_.empty() ? "" : absl::StrCat(" ", id_));
  if (!policies_.may_create()) {
    return absl::NotFoundError(absl::StrCat("there is no ", what, " in the cloud, and spec.managementPolicies has no Create"));
  }
  if (kind_.HasMarker() && !id_.empty() && !memory_.seen_alive && !HasExisted()) {
    return absl::InvalidArgumentError(absl::StrCat("there is no ", what, " in the cloud, which the annotation ", kExternalName,
                                                   " names; remove the annotation to have one created"));
  }
  return absl::OkStatus();
}

absl::Status Pass::Post(const Value& parameters, schema::Allocator& allocator) {
  Annotations annotations = {{std::string(kCreatedWith), CreatedWith(kind_.plan.parameters, parameters, RolesNow())}};
  const bool chooses = kind_.HasChosenId();
  if (chooses && id_.empty()) id_ = kind_.ChosenIdFor(object_.stored->uid(), object_.stored->name(), 1);

  CreateRequest request{.object = schema::EncodeForCreate(kind_.plan.parameters, parameters, allocator),
                        .beside = Value(rapidjson::kObjectType),
                        .secrets = {}};
  if (kind_.HasMarker()) kind_.AddMarker(marker(), request.object, allocator);
  if (chooses) json::Set(request.object, kind_.options().identity().client_id().field(), id_, allocator);
  if (kind_.hooks != nullptr) {
    RETURN_IF_ERROR(kind_.hooks->PrepareCreate(Hook(), parameters, request, allocator));
  }

  // Before the request: an object that is deleted meanwhile must wait for us, an id that we chose must be known, and so must
  // what the object was made of, whoever finds it afterwards.
  if (chooses) annotations[std::string(kExternalName)] = id_;
  const bool known =
      absl::c_all_of(annotations, [this](const auto& annotation) { return Annotated(annotation.first, annotation.second); });
  Step(CrashAt::kCreateBegins);
  if (!HasFinalizer(object_.json) || !known) {
    RETURN_IF_ERROR(writer_.AddFinalizer(object_, annotations));
    memory_.written = object_.stored;
  }
  Step(CrashAt::kCreateAnnounced);
  AwaitRate();
  absl::StatusOr<Document> answer = SendPost(request);
  if (chooses && absl::IsAlreadyExists(answer.status())) answer = PostWithNextId(request, allocator);
  RETURN_IF_ERROR(answer.status());
  Step(CrashAt::kCreateSent);

  if (const std::string id = kind_.IdOf(*answer); !id.empty()) {
    id_ = id;
  } else if (!chooses) {
    return LoseAnswer(absl::UnavailableError("the service took the request, but its answer has no id"));
  }
  memory_.id = id_;
  memory_.id_recorded = false;
  memory_.seen_alive = true;
  memory_.may_exist = false;
  memory_.posted = shared_.options.clock.Now();
  memory_.asked = memory_.posted;
  memory_.delete_sent = absl::InfinitePast();
  memory_.deleted = false;
  shared_.tracker.Track(key_, scope_, *mirror_, id_);
  const bool says_enough = !kind_.options().has_state() || !kind_.StateName(*answer).empty();
  if (says_enough && kind_.IdOf(*answer) == id_) TakeCloud(*std::move(answer));
  if (chooses) return absl::OkStatus();
  const absl::Status recorded = writer_.Annotate(object_, {{std::string(kExternalName), id_}});
  memory_.written = object_.stored;
  Step(CrashAt::kCreateRecorded);
  // Deleted meanwhile: the deletion is on its way to us, and knows the id. Anything else is tried again with the next status.
  return absl::IsNotFound(recorded) ? absl::OkStatus() : recorded;
}

absl::StatusOr<Document> Pass::SendPost(const CreateRequest& request) {
  openstack::CallOptions options = Call();
  options.secrets = request.secrets;
  if (!request.beside.ObjectEmpty()) options.beside = &request.beside;
  absl::StatusOr<Document> answer = rest_->Create(request.object, stop_, options);
  if (!answer.ok() && IsAmbiguous(answer.status())) return LoseAnswer(answer.status());
  return answer;
}

// From now on there may be such an object, and the next pass looks for it. What went wrong is shown until that is known.
absl::Status Pass::LoseAnswer(const absl::Status& problem) {
  memory_.may_exist = true;
  memory_.absent_since = absl::InfiniteFuture();
  memory_.lost_answer = Annotate(problem, kCreateFailed);
  if (kind_.HasMarker()) report_.phase_message = std::string(kLooksTwice);
  return problem;
}

// The id that we chose exists: it is ours, from a create whose answer was lost; or the service remembers it of an object that
// is gone.
absl::StatusOr<Document> Pass::PostWithNextId(CreateRequest& request, schema::Allocator& allocator) {
  absl::StatusOr<Document> present = rest_->Get(id_, stop_, Call());
  if (!absl::IsNotFound(present.status())) return present;
  for (int attempt = 1; attempt < kMostAttempts; ++attempt) {
    if (kind_.ChosenIdFor(object_.stored->uid(), object_.stored->name(), attempt) != id_) continue;
    id_ = kind_.ChosenIdFor(object_.stored->uid(), object_.stored->name(), attempt + 1);
    RETURN_IF_ERROR(writer_.Annotate(object_, {{std::string(kExternalName), id_}}));
    memory_.written = object_.stored;
    json::Set(request.object, kind_.options().identity().client_id().field(), id_, allocator);
    return SendPost(request);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the cloud does not take the id ", id_, " again, which the annotation ", kExternalName, " names"));
}

}  // namespace kupen::managed
