#include "provider/access/scope.h"

#include "provider/base/status.h"

namespace kupen::access {

Scope::Scope(openstack::Cloud cloud, openstack::Transports transports, Clock& clock, ScopeEvents events)
    : clock_(clock), events_(std::move(events)), session_(std::move(cloud), std::move(transports), clock) {}

Scope::~Scope() {
  // All at once: each may be in the middle of a request.
  for (auto& [kind, running] : mirrors_) running.thread.request_stop();
}

openstack::Mirror& Scope::MirrorOf(const std::string& kind, const std::function<openstack::MirrorSpec()>& spec,
                                   const std::function<void(openstack::Mirror&)>& prepare) {
  const std::lock_guard guard(mutex_);
  RunningMirror& running = mirrors_[kind];
  if (running.mirror == nullptr) {
    openstack::MirrorEvents events = {
        .on_change = [this, kind](const openstack::MirrorChange& change) { events_.on_change(kind, change); },
        .on_doubt = [this, kind](const std::string& message) { events_.on_doubt(kind, message); }};
    running.mirror = std::make_unique<openstack::Mirror>(session_, spec(), clock_, std::move(events));
    if (prepare != nullptr) prepare(*running.mirror);
    running.thread = std::jthread([mirror = running.mirror.get()](const std::stop_token& stop) { mirror->Run(stop); });
  }
  return *running.mirror;
}

void Scopes::Expect(const ConfigRef& ref) {
  const std::lock_guard guard(mutex_);
  entries_.try_emplace(ref, Entry{.scope = NotYetKnown(ref)});
}

void Scopes::Refuse(const ConfigRef& ref, const absl::Status& why) {
  const std::lock_guard guard(mutex_);
  entries_.insert_or_assign(ref, Entry{.scope = Annotate(why, ref.ToString())});
}

void Scopes::Set(const ConfigRef& ref, std::shared_ptr<Scope> scope, std::function<bool(absl::string_view ns)> serves) {
  const std::lock_guard guard(mutex_);
  entries_.insert_or_assign(ref, Entry{.scope = std::move(scope), .serves = std::move(serves)});
}

void Scopes::Remove(const ConfigRef& ref) {
  const std::lock_guard guard(mutex_);
  entries_.erase(ref);
}

void Scopes::SetComplete() {
  const std::lock_guard guard(mutex_);
  complete_ = true;
}

absl::StatusOr<std::shared_ptr<Scope>> Scopes::Find(const ConfigRef& ref, absl::string_view ns) const {
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(ref);
  if (found == entries_.end()) {
    if (!complete_) return NotYetKnown(ref);
    return absl::NotFoundError(absl::StrCat("there is no ", ref.ToString(), ref.ns.empty() ? "" : " in namespace ", ref.ns,
                                            ": create it, or name another in spec.providerConfigRef"));
  }
  const Entry& entry = found->second;
  if (entry.scope.ok() && !entry.serves(ns)) {
    return absl::PermissionDeniedError(absl::StrCat(ref.ToString(), " does not serve the namespace ", ns,
                                                    ": its spec.namespaceSelector says which it serves"));
  }
  return entry.scope;
}

absl::Status Scopes::NotYetKnown(const ConfigRef& ref) {
  return absl::UnavailableError(absl::StrCat(ref.ToString(), " has not been read yet"));
}

}  // namespace kupen::access
