#include "provider/openstack/url.h"

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace kupen::openstack {

absl::StatusOr<Url> ParseUrl(absl::string_view text) {
  const size_t scheme_end = text.find("://");
  const absl::string_view scheme = text.substr(0, scheme_end);
  if (scheme_end == absl::string_view::npos || (scheme != "http" && scheme != "https")) {
    return absl::InvalidArgumentError(absl::StrCat("not an http or https URL: ", text));
  }
  const size_t host_end = text.find_first_of("/?#", scheme_end + 3);
  Url url{.origin = std::string(text.substr(0, host_end)), .path = "", .query = ""};
  if (url.origin.size() == scheme_end + 3) return absl::InvalidArgumentError(absl::StrCat("URL without a host: ", text));
  if (absl::StrContains(url.origin, "@")) return absl::InvalidArgumentError("URL with a user name: leave that out");
  if (host_end == absl::string_view::npos) return url;

  const absl::string_view rest = text.substr(host_end, text.find('#', host_end) - host_end);
  const size_t query = rest.find('?');
  url.path = std::string(rest.substr(0, query));
  if (query != absl::string_view::npos) url.query = std::string(rest.substr(query + 1));
  while (absl::EndsWith(url.path, "/")) url.path.pop_back();
  return url;
}

std::string PercentEncode(absl::string_view text) {
  constexpr absl::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || absl::StrContains("-._~", c)) {
      encoded += c;
    } else {
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 0xF]};
    }
  }
  return encoded;
}

std::string EncodeQuery(const Query& query) {
  return absl::StrJoin(query, "&", [](std::string* out, const auto& parameter) {
    absl::StrAppend(out, PercentEncode(parameter.first), "=", PercentEncode(parameter.second));
  });
}

}  // namespace kupen::openstack
