// Writes to an object in Kubernetes, and remembers what it has become: the kube mirror hears of our own writes a little later,
// and a decision made on the older state could create something twice.
//
//   ObjectWriter writer(client, kind, stop);
//   RETURN_IF_ERROR(writer.AddFinalizer(object, {{kExternalName, id}}));     // object is the new one now
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/kube/client.h"
#include "provider/kube/object.h"
#include "provider/managed/kind.h"
#include "rapidjson/document.h"

namespace kupen::managed {

inline constexpr absl::string_view kExternalName = "crossplane.io/external-name";
inline constexpr absl::string_view kRequestedAt = "crossplane.io/reconcile-requested-at";
inline constexpr absl::string_view kFinalizer = "finalizer.managedresource.crossplane.io";

// An object, parsed, with the bytes that it came from.
struct LiveObject {
  kube::ObjectPtr stored;
  rapidjson::Document json;
};
absl::StatusOr<LiveObject> ParseObject(kube::ObjectPtr stored);

bool HasFinalizer(const rapidjson::Value& object);
absl::string_view Annotation(const rapidjson::Value& object, absl::string_view name);
// metadata.creationTimestamp and the like, if it is there.
std::optional<absl::Time> Timestamp(const rapidjson::Value& object, absl::string_view name);

using Annotations = std::map<std::string, std::string>;

// Each gives the object its new state. An object that was deleted meanwhile, or replaced by another of its name, is NOT_FOUND
// or ABORTED.
class ObjectWriter {
 public:
  ObjectWriter(const kube::Client& client, const ManagedKind& kind, const std::stop_token& stop)
      : client_(client), kind_(kind), stop_(stop) {}

  absl::Status AddFinalizer(LiveObject& object, const Annotations& annotations) const;
  absl::Status RemoveFinalizer(LiveObject& object) const;
  absl::Status Annotate(LiveObject& object, const Annotations& annotations) const;
  // Nothing is sent if it is the status that the object has already.
  absl::Status SetStatus(LiveObject& object, const rapidjson::Value& status) const;

 private:
  absl::Status PatchMetadata(LiveObject& object, rapidjson::Document& metadata, bool only_this_version) const;

  const kube::Client& client_;
  const ManagedKind& kind_;
  const std::stop_token& stop_;
};

}  // namespace kupen::managed
