#include "provider/openstack/mirror_store.h"

#include <algorithm>
#include <utility>

#include "provider/json/json.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace kupen::openstack {
namespace {

std::vector<std::string> SortedNames(const rapidjson::Value& item) {
  std::vector<std::string> names;
  names.reserve(item.MemberCount());
  for (const auto& member : item.GetObject()) names.emplace_back(member.name.GetString(), member.name.GetStringLength());
  std::sort(names.begin(), names.end());
  return names;
}

// Field by field, so that the same state gives the same bytes in whatever order a service writes it.
std::string Compact(const rapidjson::Value& item, const std::vector<std::string>& fields) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  writer.StartObject();
  for (const std::string& field : fields) {
    const rapidjson::Value* value = json::Find(item, {field});
    if (value == nullptr) continue;
    writer.Key(field.data(), static_cast<rapidjson::SizeType>(field.size()));
    value->Accept(writer);
  }
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

void MirrorStore::Track(const std::string& id) {
  const std::lock_guard guard(mutex_);
  Entry& entry = entries_[id];
  // A list that is under way may have passed the object's place before it was made.
  if (entry.references++ == 0) entry.tracked_since = list_;
}

void MirrorStore::Untrack(const std::string& id) {
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || --found->second.references > 0) return;
  found->second.references = 0;
  found->second.busy = false;
  if (found->second.marker.empty() || found->second.object.presence != Presence::kPresent) {
    SetMarker(id, found->second, "");
    entries_.erase(found);
  }
}

void MirrorStore::SetBusy(const std::string& id, bool busy) {
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(id);
  if (found != entries_.end()) found->second.busy = busy;
}

std::vector<std::string> MirrorStore::Busy() const {
  const std::lock_guard guard(mutex_);
  std::vector<std::string> ids;
  for (const auto& [id, entry] : entries_) {
    if (entry.busy) ids.push_back(id);
  }
  return ids;
}

void MirrorStore::BeginList() {
  const std::lock_guard guard(mutex_);
  ++list_;
  listing_ = true;
}

std::optional<MirrorChange> MirrorStore::PutListed(const rapidjson::Value& item) {
  const std::string id(json::String(item, {id_key_}));
  if (id.empty()) return std::nullopt;
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(id);
  if (found != entries_.end()) {
    found->second.seen_in = list_;
    if (found->second.asked_in == list_) return std::nullopt;
  }
  return PutLocked(id, item);
}

MirrorStore::Listed MirrorStore::EndList() {
  const std::lock_guard guard(mutex_);
  listing_ = false;
  Listed listed;
  for (auto next = entries_.begin(); next != entries_.end();) {
    const auto current = next++;
    Entry& entry = current->second;
    const bool seen = entry.seen_in == list_ || entry.asked_in == list_;
    if (entry.references > 0) {
      ++listed.tracked;
      if (!seen && entry.tracked_since < list_ && entry.object.presence != Presence::kGone)
        listed.missing.push_back(current->first);
    } else if (!seen) {
      listed.changes.push_back({.id = current->first, .marker = entry.marker});
      SetMarker(current->first, entry, "");
      entries_.erase(current);
    }
  }
  return listed;
}

void MirrorStore::AbandonList() {
  const std::lock_guard guard(mutex_);
  listing_ = false;
}

std::optional<MirrorChange> MirrorStore::Put(const rapidjson::Value& item) {
  const std::string id(json::String(item, {id_key_}));
  if (id.empty()) return std::nullopt;
  const std::lock_guard guard(mutex_);
  const std::optional<MirrorChange> change = PutLocked(id, item);
  const auto found = entries_.find(id);
  if (found != entries_.end() && listing_) found->second.asked_in = list_;
  return change;
}

std::optional<MirrorChange> MirrorStore::PutGone(const std::string& id) {
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  Entry& entry = found->second;
  if (listing_) entry.asked_in = list_;
  if (entry.object.presence == Presence::kGone) return std::nullopt;
  MirrorChange change{.id = id, .marker = entry.marker};
  SetMarker(id, entry, "");
  entry.object = {.presence = Presence::kGone, .body = nullptr};
  if (entry.references == 0) entries_.erase(found);
  return change;
}

std::optional<MirroredObject> MirrorStore::Find(const std::string& id) const {
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  return found->second.object;
}

std::vector<std::string> MirrorStore::FindByMarker(const std::string& marker) const {
  const std::lock_guard guard(mutex_);
  const auto found = by_marker_.find(marker);
  if (found == by_marker_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

size_t MirrorStore::size() const {
  const std::lock_guard guard(mutex_);
  return entries_.size();
}

std::optional<MirrorChange> MirrorStore::PutLocked(const std::string& id, const rapidjson::Value& item) {
  std::string marker = marker_of_(item);
  auto found = entries_.find(id);
  if (found != entries_.end() && says_nothing_ != nullptr && says_nothing_(item)) marker = found->second.marker;
  if (found == entries_.end()) {
    if (marker.empty()) return std::nullopt;
    found = entries_.emplace(id, Entry()).first;
    found->second.seen_in = list_;
  }
  Entry& entry = found->second;
  if (marker.empty() && entry.references == 0) {
    // No longer ours.
    MirrorChange change{.id = id, .marker = entry.marker};
    SetMarker(id, entry, "");
    entries_.erase(found);
    return change;
  }
  std::string body = fields_.empty() ? Compact(item, SortedNames(item)) : Compact(item, fields_);
  const bool same = entry.object.presence == Presence::kPresent && *entry.object.body == body && entry.marker == marker;
  if (same) return std::nullopt;
  entry.object = {.presence = Presence::kPresent, .body = std::make_shared<const std::string>(std::move(body))};
  SetMarker(id, entry, std::move(marker));
  return MirrorChange{.id = id, .marker = entry.marker};
}

void MirrorStore::SetMarker(const std::string& id, Entry& entry, std::string marker) {
  if (entry.marker == marker) return;
  if (const auto old = by_marker_.find(entry.marker); old != by_marker_.end()) {
    old->second.erase(id);
    if (old->second.empty()) by_marker_.erase(old);
  }
  if (!marker.empty()) by_marker_[marker].insert(id);
  entry.marker = std::move(marker);
}

}  // namespace kupen::openstack
