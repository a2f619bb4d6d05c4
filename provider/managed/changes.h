// What has to change in the cloud, sorted by how it can.
//
//   const Changes changes = FindChanges(kind, parameters, object, created_with, allocator);
//   if (!changes.AreInPlace()) …
//   ASSIGN_OR_RETURN(const rapidjson::Document now, SendChanges(kind, rest, id, marker, changes, object, stop, options));
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/managed/hooks.h"
#include "provider/managed/identity.h"
#include "provider/managed/kind.h"
#include "provider/openstack/rest.h"
#include "provider/schema/diff.h"
#include "rapidjson/document.h"

namespace kupen::managed {

struct Changes {
  // By the object's own update request.
  std::vector<schema::Change> in_place;
  std::vector<HookChange> by_hook;
  // By requests of their own.
  std::vector<schema::Change> subresources;
  // For people: only by a new object, and not at all.
  std::vector<std::string> replacing;
  std::vector<std::string> impossible;

  bool AreInPlace() const { return !in_place.empty() || !by_hook.empty() || !subresources.empty(); }
  // Of those in place, for people.
  std::string Text() const;
};

// Between the parameters, with their references resolved, and the object as the service shows it, without our marker.
Changes FindChanges(const ManagedKind& kind, const rapidjson::Value& parameters, const rapidjson::Value& object,
                    absl::string_view created_with, schema::Allocator& allocator);

// Makes those changes that can be made in place. Gives the object as it is afterwards.
absl::StatusOr<rapidjson::Document> SendChanges(const ManagedKind& kind, openstack::Rest& rest, const std::string& id,
                                                const std::optional<Marker>& marker, const Changes& changes,
                                                const rapidjson::Value& object, const std::stop_token& stop,
                                                const openstack::CallOptions& options);

}  // namespace kupen::managed
