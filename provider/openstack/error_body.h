// Error bodies of OpenStack services: each has a shape of its own, and proxies before them answer in HTML.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace kupen::openstack {

struct ErrorBody {
  // As the service says it, however long.
  std::string message;
  // The service's own name for what went wrong, where it has one: Neutron's type ("OverQuota"), Placement's code.
  std::string type;
};

ErrorBody ParseErrorBody(absl::string_view body);

}  // namespace kupen::openstack
