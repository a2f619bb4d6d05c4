// What the simulated cloud holds: collections of objects, each a JSON body with what the simulator itself must know beside it.
//
//   Object& network = store["network/networks"].Add(id, project);
//   network.Set("name", "blue");
//
// Not thread safe: the simulator locks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/json/json.h"
#include "rapidjson/document.h"

namespace kupen::simulator {

class Object {
 public:
  Object(std::string id, std::string project);
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  const std::string& id() const { return id_; }
  // Empty for what belongs to the whole cloud.
  const std::string& project() const { return project_; }
  const rapidjson::Value& body() const { return body_; }
  absl::string_view Text(absl::string_view member) const { return json::String(body_, {member}); }
  bool IsTrue(absl::string_view member) const;

  void Set(absl::string_view member, absl::string_view text) { json::Set(body_, member, text, pool_); }
  // Copies the value.
  void Set(absl::string_view member, const rapidjson::Value& value);
  void SetInt(absl::string_view member, int64_t value) { json::Set(body_, member, rapidjson::Value(value), pool_); }
  void SetBool(absl::string_view member, bool value) { json::Set(body_, member, rapidjson::Value(value), pool_); }
  void SetNull(absl::string_view member) { json::Set(body_, member, rapidjson::Value(), pool_); }
  // The member's value from JSON text.
  void SetJson(absl::string_view member, absl::string_view text);
  void Remove(absl::string_view member);
  // Copies all members of an object.
  void Merge(const rapidjson::Value& members);

  std::string owner_user;
  absl::Time created;
  absl::Time updated;
  // Where a server runs; down cells are a fault of their own.
  int cell = 0;

 private:
  const std::string id_;
  const std::string project_;
  json::Allocator pool_;
  rapidjson::Value body_{rapidjson::kObjectType};
};

// In the order in which they were added.
class Collection {
 public:
  using Rows = std::map<uint64_t, std::unique_ptr<Object>>;

  // Replaces one of the same id.
  Object& Add(const std::string& id, const std::string& project);
  // Null if there is none.
  Object* Find(absl::string_view id);
  const Object* Find(absl::string_view id) const { return const_cast<Collection*>(this)->Find(id); }
  void Remove(const std::string& id);

  const Rows& rows() const { return rows_; }
  // Where the object is in the order; the end if there is none.
  Rows::const_iterator Position(absl::string_view id) const;

 private:
  Rows rows_;
  std::unordered_map<std::string, uint64_t> by_id_;
  uint64_t last_ = 0;
};

// By service and collection: "network/networks".
using Store = std::map<std::string, Collection>;

}  // namespace kupen::simulator
