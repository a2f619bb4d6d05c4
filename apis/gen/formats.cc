#include "apis/gen/formats.h"

#include <map>

#include "absl/strings/str_join.h"

namespace kupen::apis {
namespace {

const std::map<std::string, Format>& Formats() {
  static const std::map<std::string, Format> kFormats = {
      {"cidr", {.openapi = true, .max_length = 43}},
      {"date-time", {.openapi = true, .max_length = 40}},
      // OpenAPI has ipv4 and ipv6, but nothing that takes both.
      {"ip", {.rule = "isIP(self)", .message = "must be an IPv4 or IPv6 address", .max_length = 45}},
      {"mac", {.openapi = true, .max_length = 17}},
      {"uri", {.openapi = true}},
      {"uuid", {.openapi = true, .max_length = 36}},
  };
  return kFormats;
}

}  // namespace

std::optional<Format> FindFormat(absl::string_view name) {
  const auto found = Formats().find(std::string(name));
  if (found == Formats().end()) return std::nullopt;
  return found->second;
}

std::string FormatNames() {
  return absl::StrJoin(Formats(), ", ", [](std::string* out, const auto& format) { out->append(format.first); });
}

}  // namespace kupen::apis
