// What there is to know about an OpenStack service before talking to it. A service is known by its official type ("compute").
//
//   ServiceNamed("volumev3").type        // "block-storage": catalogs and clouds.yaml also use older names
//   ServiceNamed("compute").project      // "nova": what people call it, and what messages say
#pragma once

#include <vector>

#include "absl/strings/string_view.h"

namespace kupen::openstack {

struct Service {
  absl::string_view type;
  absl::string_view project;
  // Older types that mean the same service, the preferred first.
  std::vector<absl::string_view> aliases;
  // What the API's paths start with when the catalog's endpoint names no version.
  absl::string_view version_path;
  // The service's name in the OpenStack-API-Version header; empty if it has no microversions that we use.
  absl::string_view microversion_name;
};

// By official type or alias. A service that is not in the table is what its type says: no alias, no version, no microversions.
Service ServiceNamed(absl::string_view type);

}  // namespace kupen::openstack
