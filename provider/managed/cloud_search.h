// Finds what the cloud already has, among what the token may use.
//
//   ASSIGN_OR_RETURN(const std::string id, FindByName(session, collection, "public", stop));
//   ASSIGN_OR_RETURN(const std::string id, FindByParameters(session, kind, for_provider, stop));
//
// What belongs to other projects and is not shared with this one is not meant, though an administrator sees it. Exactly one
// must match. None is NOT_FOUND; several are FAILED_PRECONDITION, and the message names two ids.
#pragma once

#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/managed/kind.h"
#include "provider/openstack/rest.h"
#include "provider/openstack/session.h"
#include "rapidjson/document.h"

namespace kupen::managed {

// By its exact name.
absl::StatusOr<std::string> FindByName(openstack::Session& session, const openstack::RestSpec& collection,
                                       absl::string_view name, const std::stop_token& stop);

// By those parameters that are set.
absl::StatusOr<std::string> FindByParameters(openstack::Session& session, const ManagedKind& kind,
                                             const rapidjson::Value& parameters, const std::stop_token& stop);

}  // namespace kupen::managed
