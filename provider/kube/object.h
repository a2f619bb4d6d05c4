// An object as the store keeps it: compact JSON without what only the API server needs (managedFields, kubectl's last-applied
// annotation), and where the most asked fields are in it.
//
//   absl::StatusOr<rapidjson::Document> network = json::Parse(object->json());
//   if (object->deleting()) …
//
// A parsed document would take 4 to 60 times the memory. Lists and initial events lack apiVersion and kind: so may this.
//
// Thread safety: it does not change.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/kube/resource.h"
#include "rapidjson/document.h"

namespace kupen::kube {

class Object;
using ObjectPtr = std::shared_ptr<const Object>;

class Object {
 public:
  // INVALID_ARGUMENT if it has no metadata.name.
  static absl::StatusOr<ObjectPtr> From(const rapidjson::Value& object);

  absl::string_view json() const { return json_; }

  absl::string_view ns() const { return At(ns_); }
  absl::string_view name() const { return At(name_); }
  absl::string_view uid() const { return At(uid_); }
  absl::string_view resource_version() const { return At(resource_version_); }
  int64_t generation() const { return generation_; }
  // It has a deletionTimestamp.
  bool deleting() const { return deleting_; }
  ObjectKey key() const { return {std::string(ns()), std::string(name())}; }

  // Of the label; empty if it has no such label.
  std::string Label(absl::string_view name) const;

 private:
  // Part of json_.
  struct Span {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  class Writer;

  Object() = default;
  absl::string_view At(Span span) const { return absl::string_view(json_).substr(span.begin, span.size); }

  std::string json_;
  Span ns_;
  Span name_;
  Span uid_;
  Span resource_version_;
  // With its braces.
  Span labels_;
  int64_t generation_ = 0;
  bool deleting_ = false;
};

}  // namespace kupen::kube
