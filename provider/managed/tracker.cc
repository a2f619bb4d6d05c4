#include "provider/managed/tracker.h"

namespace kupen::managed {

void Tracker::Track(const runtime::Key& key, std::shared_ptr<access::Scope> scope, openstack::Mirror& mirror,
                    const std::string& id) {
  // Ends after the lock: the last holder of a scope waits for its mirrors, which may be asking us.
  Entry before;
  const std::lock_guard guard(mutex_);
  const auto known = entries_.find(key);
  if (known != entries_.end() && known->second.mirror == &mirror && known->second.id == id) return;
  before = TakeOut(key);
  mirror.Track(id);
  entries_[key] = {.scope = std::move(scope), .mirror = &mirror, .id = id};
  owners_[{key.kind, id}].insert(key);
}

void Tracker::Untrack(const runtime::Key& key) {
  Entry before;
  const std::lock_guard guard(mutex_);
  before = TakeOut(key);
}

void Tracker::Clear() {
  absl::flat_hash_map<runtime::Key, Entry> all;
  const std::lock_guard guard(mutex_);
  all.swap(entries_);
  owners_.clear();
}

Tracker::Entry Tracker::TakeOut(const runtime::Key& key) {
  const auto known = entries_.find(key);
  if (known == entries_.end()) return {};
  Entry entry = std::move(known->second);
  entry.mirror->Untrack(entry.id);
  const auto owner = owners_.find({key.kind, entry.id});
  owner->second.erase(key);
  if (owner->second.empty()) owners_.erase(owner);
  entries_.erase(known);
  return entry;
}

std::shared_ptr<access::Scope> Tracker::ScopeOf(const runtime::Key& key) const {
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second.scope;
}

std::vector<runtime::Key> Tracker::OwnersOf(const std::string& kind, const std::string& id) const {
  const std::lock_guard guard(mutex_);
  const auto found = owners_.find({kind, id});
  if (found == owners_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

}  // namespace kupen::managed
