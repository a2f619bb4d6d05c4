#include "provider/cmd/crd_gate.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "provider/kube/resource.h"
#include "provider/runtime/log.h"

namespace kupen::cmd {
namespace {

const kube::Resource& Crds() {
  static const kube::Resource kResource{
      .group = "apiextensions.k8s.io", .version = "v1", .plural = "customresourcedefinitions", .namespaced = false};
  return kResource;
}

}  // namespace

bool IsServed(const rapidjson::Value& crd, const apis::Kind& kind) {
  if (json::Find(crd, {"metadata", "deletionTimestamp"}) != nullptr) return false;
  if (!kube::IsTrue(crd, "Established")) return false;
  for (const rapidjson::Value& version : json::Array(crd, {"spec", "versions"})) {
    const rapidjson::Value* const served = json::Find(version, {"served"});
    if (json::String(version, {"name"}) == kind.version) return served != nullptr && served->IsTrue();
  }
  return false;
}

CrdGate::CrdGate(const apis::Kinds& kinds, const kube::Client& client, runtime::WorkQueue& queue, Open open)
    : client_(client), queue_(queue), open_(std::move(open)) {
  for (const apis::Kind& kind : kinds.all()) closed_.emplace(absl::StrCat(kind.plural, ".", kind.group), &kind);
}

kube::WatcherOptions CrdGate::WatcherOptions() { return {.resource = Crds(), .scope = {.metadata_only = true}}; }

void CrdGate::Take(const kube::WatchEvent& event) {
  using Type = kube::WatchEvent::Type;
  const std::string name(event.object == nullptr ? "" : json::String(*event.object, {"metadata", "name"}));
  {
    const std::lock_guard guard(mutex_);
    if (event.type == Type::kInitDone) listed_ = true;
    if (event.type != Type::kInitApply && event.type != Type::kApply) return;
    if (!closed_.contains(name)) return;
    if (!listed_) unsettled_.insert(name);
  }
  queue_.Add({.kind = "CustomResourceDefinition", .object_namespace = "", .name = name}, runtime::Priority::kChange);
}

runtime::Outcome CrdGate::Reconcile(const runtime::Key& key, const std::stop_token& stop) {
  const apis::Kind* const kind = FindClosed(key.name);
  if (kind == nullptr) return runtime::Outcome::AwaitChange();
  const absl::StatusOr<rapidjson::Document> crd = client_.Get(Crds(), {"", key.name}, stop);
  if (!crd.ok() && !absl::IsNotFound(crd.status())) {
    log::Warning("cannot read a CRD", {{"crd", key.name}, {"error", crd.status()}});
    return runtime::Outcome::Retry();
  }
  // If it is not served yet, another change will tell.
  if (crd.ok() && IsServed(*crd, *kind)) {
    Opened(key.name);
    open_(*kind);
  }
  const std::lock_guard guard(mutex_);
  unsettled_.erase(key.name);
  return runtime::Outcome::AwaitChange();
}

bool CrdGate::settled() const {
  const std::lock_guard guard(mutex_);
  return listed_ && unsettled_.empty();
}

const apis::Kind* CrdGate::FindClosed(absl::string_view crd) const {
  const std::lock_guard guard(mutex_);
  const auto found = closed_.find(crd);
  return found == closed_.end() ? nullptr : found->second;
}

void CrdGate::Opened(const std::string& crd) {
  const std::lock_guard guard(mutex_);
  closed_.erase(crd);
}

}  // namespace kupen::cmd
