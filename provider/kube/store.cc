#include "provider/kube/store.h"

#include "provider/json/json.h"

namespace kupen::kube {

void Store::Take(const WatchEvent& event) {
  Changes changes;
  switch (event.type) {
    case WatchEvent::Type::kInit:
      Init();
      break;
    case WatchEvent::Type::kInitApply:
      InitApply(*event.object);
      break;
    case WatchEvent::Type::kInitDone:
      changes = InitDone();
      break;
    case WatchEvent::Type::kApply:
      changes = Apply(*event.object);
      break;
    case WatchEvent::Type::kDelete:
      changes = Delete(*event.object);
      break;
  }
  for (const auto& [key, change] : changes) {
    for (const Handler& handler : handlers_) handler(key, change);
  }
}

void Store::Init() {
  const std::lock_guard guard(mutex_);
  initializing_ = true;
  next_.clear();
}

void Store::InitApply(const rapidjson::Value& object) {
  const Place place(json::String(object, {"metadata", "namespace"}), json::String(object, {"metadata", "name"}));
  const absl::string_view version = json::String(object, {"metadata", "resourceVersion"});
  {
    // What has not changed is not kept twice while both lists are in memory.
    const std::lock_guard guard(mutex_);
    if (const auto known = objects_.find(place); known != objects_.end() && (*known)->resource_version() == version) {
      next_.erase(place);
      next_.insert(*known);
      return;
    }
  }
  const absl::StatusOr<ObjectPtr> compact = Object::From(object);
  if (!compact.ok()) return;
  const std::lock_guard guard(mutex_);
  next_.erase(place);
  next_.insert(*compact);
}

Store::Changes Store::InitDone() {
  Changes changes;
  const std::lock_guard guard(mutex_);
  for (const ObjectPtr& object : next_) {
    const auto before = objects_.find(object);
    const bool same = before != objects_.end() && (*before)->resource_version() == object->resource_version();
    if (!same) changes.emplace_back(object->key(), synced_ ? Change::kApplied : Change::kInitial);
  }
  for (const ObjectPtr& object : objects_) {
    if (!next_.contains(object)) changes.emplace_back(object->key(), Change::kDeleted);
  }
  objects_ = std::move(next_);
  next_ = Objects();
  initializing_ = false;
  synced_ = true;
  synced_changed_.notify_all();
  return changes;
}

Store::Changes Store::Apply(const rapidjson::Value& object) {
  const absl::StatusOr<ObjectPtr> compact = Object::From(object);
  if (!compact.ok()) return {};
  const std::lock_guard guard(mutex_);
  const auto known = objects_.find(*compact);
  if (known != objects_.end() && (*known)->resource_version() == (*compact)->resource_version()) return {};
  if (known != objects_.end()) objects_.erase(known);
  objects_.insert(*compact);
  return {{(*compact)->key(), Change::kApplied}};
}

Store::Changes Store::Delete(const rapidjson::Value& object) {
  const Place place(json::String(object, {"metadata", "namespace"}), json::String(object, {"metadata", "name"}));
  const std::lock_guard guard(mutex_);
  if (initializing_) {
    // Told when the new content takes the old one's place.
    next_.erase(place);
    return {};
  }
  if (objects_.erase(place) == 0) return {};
  return {{{std::string(place.first), std::string(place.second)}, Change::kDeleted}};
}

ObjectPtr Store::Get(const ObjectKey& key) const {
  const std::lock_guard guard(mutex_);
  const auto found = objects_.find(Place(key.ns, key.name));
  return found == objects_.end() ? nullptr : *found;
}

std::vector<ObjectPtr> Store::All(absl::string_view ns) const {
  std::vector<ObjectPtr> all;
  const std::lock_guard guard(mutex_);
  for (const ObjectPtr& object : objects_) {
    if (ns.empty() || object->ns() == ns) all.push_back(object);
  }
  return all;
}

size_t Store::size() const {
  const std::lock_guard guard(mutex_);
  return objects_.size();
}

bool Store::synced() const {
  const std::lock_guard guard(mutex_);
  return synced_;
}

bool Store::AwaitSynced(const std::stop_token& stop) const {
  std::unique_lock lock(mutex_);
  return synced_changed_.wait(lock, stop, [this] { return synced_; });
}

}  // namespace kupen::kube
