// Reads a cloud from clouds.yaml, with openstacksdk's meaning of its keys:
//
//   ASSIGN_OR_RETURN(Cloud cloud, ParseCloudsYaml(secret["clouds.yaml"], "demo"));
//
// The text comes from a tenant's Secret, so it can only say things, not make us fetch them: no files (cacert holds the PEM text
// itself), no vendor profiles, no environment. An error names the key and what is allowed there, never a value that could be a
// secret. What openstacksdk would only find out from Keystone (no domain for a name, a scope beside an application credential)
// is said here.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/openstack/cloud.h"

namespace kupen::openstack {

// The cloud of that name; without a name, the only one.
absl::StatusOr<Cloud> ParseCloudsYaml(absl::string_view text, absl::string_view name = "");

}  // namespace kupen::openstack
