#include "provider/kube/lease.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/kube/error.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace kupen::kube {
namespace {

const Resource& Leases() {
  static const Resource* const kLeases = new Resource{.group = "coordination.k8s.io", .version = "v1", .plural = "leases"};
  return *kLeases;
}

// As Kubernetes' type of that name.
std::string MicroTime(absl::Time time) { return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone()); }

int IntAt(const rapidjson::Value& root, std::initializer_list<absl::string_view> path) {
  const rapidjson::Value* value = json::Find(root, path);
  return value != nullptr && value->IsInt() ? value->GetInt() : 0;
}

}  // namespace

Lease::Record Lease::Parse(const rapidjson::Value& lease) {
  return {.holder = std::string(json::String(lease, {"spec", "holderIdentity"})),
          .renewed = std::string(json::String(lease, {"spec", "renewTime"})),
          .acquired = std::string(json::String(lease, {"spec", "acquireTime"})),
          .version = std::string(json::String(lease, {"metadata", "resourceVersion"})),
          .duration = absl::Seconds(IntAt(lease, {"spec", "leaseDurationSeconds"})),
          .transitions = IntAt(lease, {"spec", "leaseTransitions"})};
}

std::string Lease::Write(const Record& record) const {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  const auto add = [&writer](const char* name, const std::string& value) {
    if (value.empty()) return;
    writer.Key(name);
    writer.String(value.c_str());
  };
  writer.StartObject();
  add("apiVersion", "coordination.k8s.io/v1");
  add("kind", "Lease");
  writer.Key("metadata");
  writer.StartObject();
  add("namespace", options_.key.ns);
  add("name", options_.key.name);
  add("resourceVersion", record.version);
  writer.EndObject();
  writer.Key("spec");
  writer.StartObject();
  writer.Key("holderIdentity");
  writer.String(record.holder.c_str());
  add("acquireTime", record.acquired);
  add("renewTime", record.renewed);
  writer.Key("leaseDurationSeconds");
  writer.Int64(absl::ToInt64Seconds(record.duration));
  writer.Key("leaseTransitions");
  writer.Int(record.transitions);
  writer.EndObject();
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

void Lease::Observe(const Record& record, absl::Time now) {
  const std::lock_guard guard(mutex_);
  const bool same = record.holder == record_.holder && record.renewed == record_.renewed;
  if (!same) observed_ = now;
  record_ = record;
}

bool Lease::IsFree(absl::Time now) const {
  const std::lock_guard guard(mutex_);
  return record_.holder.empty() || record_.holder == options_.identity || observed_ + record_.duration < now;
}

absl::StatusOr<bool> Lease::Try(const std::stop_token& stop) {
  const absl::StatusOr<rapidjson::Document> lease = client_.Get(Leases(), options_.key, stop);
  // Before the write: what counts for us must not be later than what the others see.
  const absl::Time now = clock_.Now();
  if (absl::IsNotFound(lease.status())) {
    const std::string time = MicroTime(now);
    return Put({.holder = options_.identity, .renewed = time, .acquired = time, .duration = options_.duration}, now, stop);
  }
  if (!lease.ok()) return lease.status();
  Record record = Parse(*lease);
  Observe(record, now);
  if (!IsFree(now)) return false;
  record.renewed = MicroTime(now);
  record.duration = options_.duration;
  if (record.holder != options_.identity) {
    record.holder = options_.identity;
    record.acquired = record.renewed;
    ++record.transitions;
  }
  return Put(record, now, stop);
}

// Whoever writes first wins: the version, or for a new lease its name, sees to that.
absl::StatusOr<bool> Lease::Put(const Record& record, absl::Time now, const std::stop_token& stop) {
  const std::string body = Write(record);
  const absl::StatusOr<rapidjson::Document> written = record.version.empty()
                                                          ? client_.Create(Leases(), options_.key.ns, body, stop)
                                                          : client_.Replace(Leases(), options_.key, body, stop);
  if (IsConflict(written.status()) || absl::IsAlreadyExists(written.status())) return false;
  if (!written.ok()) return written.status();
  Observe(Parse(*written), now);
  const std::lock_guard guard(mutex_);
  renewed_ = now;
  return true;
}

bool Lease::Acquire(const ProblemSink& on_problem, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const absl::StatusOr<bool> ours = Try(stop);
    if (ours.ok() && *ours) return true;
    if (!ours.ok() && !stop.stop_requested()) on_problem(ours.status());
    clock_.SleepFor(options_.retry_interval, stop);
  }
  return false;
}

absl::Status Lease::Hold(const ProblemSink& on_problem, const std::stop_token& stop) {
  absl::Duration pause = options_.renew_interval;
  while (clock_.SleepFor(pause, stop)) {
    const absl::StatusOr<bool> ours = Try(stop);
    if (stop.stop_requested()) break;
    pause = ours.ok() && *ours ? options_.renew_interval : options_.retry_interval;
    if (!ours.ok()) on_problem(ours.status());
    if (const std::string now = holder(); ours.ok() && !*ours && now != options_.identity) {
      return absl::AbortedError(absl::StrCat("lease ", options_.key.ToString(), " is now held by ", now));
    }
    if (!held()) {
      return absl::DeadlineExceededError(absl::StrCat("lease ", options_.key.ToString(), " could not be renewed for ",
                                                      absl::FormatDuration(options_.renew_deadline)));
    }
  }
  return absl::OkStatus();
}

absl::Status Lease::Release() {
  Record record;
  {
    const std::lock_guard guard(mutex_);
    if (record_.holder != options_.identity) return absl::OkStatus();
    record = record_;
    renewed_ = absl::InfinitePast();
  }
  record.holder.clear();
  record.renewed = MicroTime(clock_.Now());
  const absl::StatusOr<rapidjson::Document> written = client_.Replace(Leases(), options_.key, Write(record), {});
  // Then someone else has it already.
  if (IsConflict(written.status()) || absl::IsNotFound(written.status())) return absl::OkStatus();
  if (written.ok()) Observe(Parse(*written), clock_.Now());
  return written.status();
}

bool Lease::held() const {
  const std::lock_guard guard(mutex_);
  return record_.holder == options_.identity && clock_.Now() < renewed_ + options_.renew_deadline;
}

std::string Lease::holder() const {
  const std::lock_guard guard(mutex_);
  return record_.holder;
}

}  // namespace kupen::kube
