// The parameters of a request, in order; a name may come more than once: {{"id", "a"}, {"id", "b"}} means either.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "provider/http/url.h"

namespace kupen::openstack {

using Query = std::vector<std::pair<std::string, std::string>>;

// What follows the '?'.
inline std::string EncodeQuery(const Query& query) {
  return absl::StrJoin(query, "&", [](std::string* out, const auto& parameter) {
    absl::StrAppend(out, http::Escape(parameter.first), "=", http::Escape(parameter.second));
  });
}

}  // namespace kupen::openstack
