#include "test/simulator/store.h"

#include <utility>

namespace kupen::simulator {
namespace {

// A body of most kinds; RapidJSON's own default would take 64 KiB for each of ten thousand.
constexpr size_t kPoolChunk = 2048;

}  // namespace

Object::Object(std::string id, std::string project) : id_(std::move(id)), project_(std::move(project)), pool_(kPoolChunk) {}

bool Object::IsTrue(absl::string_view member) const {
  const rapidjson::Value* value = json::Find(body_, {member});
  return value != nullptr && value->IsTrue();
}

void Object::Set(absl::string_view member, const rapidjson::Value& value) {
  json::Set(body_, member, rapidjson::Value(value, pool_), pool_);
}

void Object::SetJson(absl::string_view member, absl::string_view text) {
  const auto parsed = json::Parse(text);
  json::Set(body_, member, parsed.ok() ? rapidjson::Value(*parsed, pool_) : rapidjson::Value(), pool_);
}

void Object::Remove(absl::string_view member) { body_.EraseMember(rapidjson::Value(json::Text(member, pool_))); }

void Object::Merge(const rapidjson::Value& members) {
  if (!members.IsObject()) return;
  for (const auto& member : members.GetObject()) Set(json::String(member.name), member.value);
}

Object& Collection::Add(const std::string& id, const std::string& project) {
  Remove(id);
  by_id_[id] = ++last_;
  return *rows_.emplace(last_, std::make_unique<Object>(id, project)).first->second;
}

Object* Collection::Find(absl::string_view id) {
  const auto found = by_id_.find(std::string(id));
  return found == by_id_.end() ? nullptr : rows_.at(found->second).get();
}

void Collection::Remove(const std::string& id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  rows_.erase(found->second);
  by_id_.erase(found);
}

Collection::Rows::const_iterator Collection::Position(absl::string_view id) const {
  const auto found = by_id_.find(std::string(id));
  return found == by_id_.end() ? rows_.end() : rows_.find(found->second);
}

}  // namespace kupen::simulator
