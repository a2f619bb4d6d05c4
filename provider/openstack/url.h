// URLs as OpenStack's catalogs and links use them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kupen::openstack {

struct Url {
  // Scheme, host and port: "http://nova:8774".
  std::string origin;
  // Empty, or starts with '/' and does not end in one.
  std::string path;
  // Without the '?'.
  std::string query;
};

absl::StatusOr<Url> ParseUrl(absl::string_view text);

// All but letters, digits and "-._~" as %XX: safe as one segment of a path and in a query.
std::string PercentEncode(absl::string_view text);

// In order; a name may come more than once.
using Query = std::vector<std::pair<std::string, std::string>>;
std::string EncodeQuery(const Query& query);

}  // namespace kupen::openstack
