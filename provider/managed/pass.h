// One reconcile of one object, from the first look to the write of its status.
//
//   Pass pass(shared, kind, key, object, memory, stop);
//   return pass.Run();
//
//   paused? ─▶ policies ─▶ being deleted? ─▶ Delete
//                 └▶ Connect ─▶ Locate ─▶ absent: Create ─┐
//                                  └──▶ present: Compare ◀┘ ─▶ update, replace, or nothing
//
// Each step either ends the pass (with an Outcome) or lets it go on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "provider/access/scope.h"
#include "provider/base/crash_point.h"
#include "provider/managed/changes.h"
#include "provider/managed/connection.h"
#include "provider/managed/kind.h"
#include "provider/managed/object_writer.h"
#include "provider/managed/policies.h"
#include "provider/managed/reconciler.h"
#include "provider/managed/resolver.h"
#include "provider/managed/status.h"
#include "provider/managed/tracker.h"
#include "provider/managed/waiters.h"
#include "provider/openstack/error.h"
#include "provider/openstack/rest.h"
#include "provider/runtime/shares.h"
#include "provider/runtime/workers.h"
#include "rapidjson/document.h"

namespace kupen::managed {

// What is known about an object from one pass to the next. All of it can be found out again after a restart, more slowly.
struct Memory {
  std::string uid = "";
  absl::Time first_seen = absl::InfinitePast();
  // As we last wrote it: may be newer than what the kube mirror has.
  kube::ObjectPtr written = nullptr;
  // In the cloud, from the moment that it is known; and whether the object in Kubernetes has been seen to say so.
  std::string id = "";
  bool id_recorded = false;
  // Whether this process has seen it exist.
  bool seen_alive = false;
  // A create may have had its effect, though we have not seen its answer; and what we saw instead.
  bool may_exist = false;
  absl::Status lost_answer = absl::OkStatus();
  // When a list first lacked such an object.
  absl::Time absent_since = absl::InfiniteFuture();
  // When we created it, if this process did.
  absl::Time posted = absl::InfinitePast();
  absl::Time delete_sent = absl::InfinitePast();
  // The cloud has taken our request to delete it: that it is not there is no surprise.
  bool deleted = false;
  // When we last asked the cloud for this object alone; and the roles of the credentials when it was last there.
  absl::Time asked = absl::InfinitePast();
  std::string seen_with = "";
  // Since when the cloud asks us to be slow.
  absl::Time slowed_since = absl::InfiniteFuture();
  // Whose mirror answers for it, and since when.
  std::weak_ptr<access::Scope> scope = {};
  absl::Time scope_since = absl::InfinitePast();
  std::vector<Resolved> references = {};
  // For metrics: when it was created here, until it is ready; when the cloud was last seen to be as it should.
  absl::Time never_ready_since = absl::InfiniteFuture();
  absl::Time last_good = absl::InfiniteFuture();
  // The last news, so that events tell of changes only.
  std::string last_problem = "";
  std::string last_update = "";
};

// How the status says that a create failed, and that it may not have.
inline constexpr absl::string_view kCreateFailed = "create failed";
inline constexpr absl::string_view kLooksTwice = "looks twice whether an earlier create had an effect";

// What all passes share.
struct Shared {
  const ReconcilerOptions& options;
  const Resolver& resolver;
  Tracker& tracker;
  ConnectionSecrets& connections;
  runtime::Shares& shares;
};

class Pass {
 public:
  // All must outlive this.
  Pass(const Shared& shared, const ManagedKind& kind, const runtime::Key& key, LiveObject object, Memory& memory,
       const std::stop_token& stop);

  runtime::Outcome Run();

 private:
  using Outcome = runtime::Outcome;
  enum class Existence : uint8_t { kPresent, kAbsent, kUnknown };

  Outcome RunLive();
  Outcome RunDeletion();

  // Finds the scope, and what of it this kind needs. An outcome, if the pass ends here.
  std::optional<Outcome> Connect();
  void TrackAllOf(openstack::Mirror& mirror) const;

  // Finds out whether the object exists in the cloud: sets id_, and cloud_ if it does. Unknown: come back at wait_.
  absl::StatusOr<Existence> Locate();
  absl::StatusOr<Existence> LocateById();
  absl::StatusOr<Existence> LocateByMarker();
  absl::StatusOr<Existence> LocateByParameters();
  absl::StatusOr<Existence> AskFor(const std::string& id);
  // Whether the mirror's first list, which is under way, is to answer.
  bool AwaitsFirstList() const;
  // Whether it is to look at what was just made.
  bool AwaitsFirstLook() const;
  bool MustAsk() const;
  // Which of those that carry our marker is the object; and what becomes of the others.
  absl::StatusOr<std::string> FirstOf(const std::vector<std::string>& ids) const;
  void DeleteTwins();
  void TakeCloud(rapidjson::Document object);
  absl::Status RecordId(const std::string& id);

  // Whether it has existed in the cloud, as far as the object in Kubernetes says.
  bool HasExisted() const;
  bool deleting() const { return object_.stored->deleting(); }
  // Whether what is not found may be out of sight only: the credentials are for another project than it was in, or have lost a
  // role since. A lost role hides objects behind lists that lack them and a 404 for each.
  absl::Status CheckSight() const;
  absl::StatusOr<Existence> RememberSight();
  std::string RolesNow() const;
  // Whether another Kubernetes cluster, or another object of this one, owns what is in cloud_.
  absl::Status CheckOwner() const;
  absl::Status CheckRivals() const;
  bool IsSameCloud(const runtime::Key& rival) const;
  absl::Status RewriteMarker();

  Outcome Create();
  absl::Status CheckMayCreate() const;
  absl::Status Post(const rapidjson::Value& parameters, schema::Allocator& allocator);
  absl::StatusOr<rapidjson::Document> SendPost(const CreateRequest& request);
  absl::Status LoseAnswer(const absl::Status& problem);
  absl::StatusOr<rapidjson::Document> PostWithNextId(CreateRequest& request, schema::Allocator& allocator);
  Outcome Compare();
  absl::Status Advance(const rapidjson::Value& shown);
  void ReportState(const rapidjson::Value& shown, CloudState state);
  // Writes the connection secret, if the user wants one.
  absl::Status Publish() const;
  Outcome Update(const Changes& changes);
  Outcome FailUpdate(absl::string_view changes, const absl::Status& problem);
  Outcome Replace(const Changes& changes);
  Outcome DeleteFromCloud();
  Outcome Forget();

  absl::StatusOr<rapidjson::Value> Resolve(rapidjson::Value parameters, schema::Allocator& allocator);
  HookContext Hook();
  openstack::CallOptions Call() const { return {.operation_id = operation_id_}; }
  void AwaitRate() const;

  // Where the crash tests let the process die.
  void Step(CrashAt point) const { CrashPoint(point, object_key_.name); }

  Marker marker() const;
  bool Annotated(absl::string_view name, absl::string_view value) const { return Annotation(object_.json, name) == value; }

  // For metrics: the status says that it is ready; the cloud is not as the user wants it.
  void ObserveReady();
  void ObserveDrift() const;

  // Ends the pass with something that went wrong.
  Outcome Fail(absl::string_view event, absl::string_view doing, const absl::Status& problem);
  bool IsQuiet(openstack::Disposition disposition) const;
  bool SaysTheSame() const;
  // Whether it is not yet worth a word that a service asks us to wait.
  bool IsBriefSlowness();
  // How long nothing is to be said yet of an object that has just been made.
  absl::Duration QuietTime() const;
  // Ends the pass: writes the status, if it is time to.
  Outcome Finish(Outcome outcome, bool settled);
  absl::Status WriteLess(const absl::Status& refused, rapidjson::Value& status);
  void Tell(kube::EventRecorder::Type type, absl::string_view reason, absl::string_view message) const;

  const Shared& shared_;
  const ManagedKind& kind_;
  const runtime::Key& key_;
  const kube::ObjectKey object_key_;
  LiveObject object_;
  Memory& memory_;
  const std::stop_token& stop_;
  const ObjectWriter writer_;
  const std::string operation_id_;
  const std::function<void()> wake_;
  const std::function<absl::StatusOr<std::string>(const std::string& secret, const std::string& key)> read_secret_;

  Policies policies_ = Policies::Everything();
  // As often as the user wants the object to be looked at, if lists are not enough.
  std::optional<absl::Duration> poll_;
  // To be among the workers that are busy with this cloud.
  runtime::Shares::Permit permit_;
  std::shared_ptr<access::Scope> scope_;
  std::unique_ptr<openstack::Rest> rest_;
  openstack::Mirror* mirror_ = nullptr;
  std::string id_;
  // As the service has it, if it exists.
  rapidjson::Document cloud_;
  absl::Duration wait_ = absl::ZeroDuration();
  // By this pass.
  bool created_ = false;
  Report report_;
  // Of values in the report.
  rapidjson::Document report_memory_;
};

}  // namespace kupen::managed
