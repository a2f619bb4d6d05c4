#include "provider/http/url.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace kupen::http {
namespace {

// Splits "host", "host:port", "[v6]" and "[v6]:port".
absl::Status ParseAuthority(absl::string_view authority, Url& url) {
  absl::string_view port;
  if (absl::ConsumePrefix(&authority, "[")) {
    const size_t end = authority.find(']');
    if (end == absl::string_view::npos) return absl::InvalidArgumentError("'[' without ']'");
    url.host = std::string(authority.substr(0, end));
    port = authority.substr(end + 1);
  } else {
    const size_t colon = authority.find(':');
    url.host = std::string(authority.substr(0, colon));
    port = colon == absl::string_view::npos ? "" : authority.substr(colon);
  }
  if (url.host.empty()) return absl::InvalidArgumentError("it has no host");
  url.port = url.tls ? 443 : 80;
  if (port.empty()) return absl::OkStatus();
  if (!absl::ConsumePrefix(&port, ":") || !absl::SimpleAtoi(port, &url.port) || url.port < 1 || url.port > 65535) {
    return absl::InvalidArgumentError("its port is not a number from 1 to 65535");
  }
  return absl::OkStatus();
}

}  // namespace

std::string Url::Origin() const {
  const bool is_v6 = absl::StrContains(host, ':');
  return absl::StrCat(tls ? "https://" : "http://", is_v6 ? "[" : "", host, is_v6 ? "]" : "", ":", port);
}

absl::StatusOr<Url> ParseUrl(absl::string_view text) {
  Url url;
  absl::string_view rest = text;
  url.tls = absl::StartsWithIgnoreCase(rest, "https://");
  if (!url.tls && !absl::StartsWithIgnoreCase(rest, "http://")) {
    return absl::InvalidArgumentError(absl::StrCat("URL \"", text, "\" does not start with http:// or https://"));
  }
  rest.remove_prefix(url.tls ? 8 : 7);
  const size_t slash = rest.find('/');
  const absl::string_view authority = rest.substr(0, slash);
  // The text is not shown: what precedes the '@' may be a password.
  if (absl::StrContains(authority, '@')) return absl::InvalidArgumentError("URL with a user name or password: give them apart");
  if (rest.find_first_of("?#") != absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat("URL \"", text, "\" has a query or a fragment"));
  }
  if (const absl::Status parsed = ParseAuthority(authority, url); !parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("URL \"", text, "\": ", parsed.message()));
  }
  if (slash != absl::string_view::npos) url.path = std::string(rest.substr(slash));
  while (absl::EndsWith(url.path, "/")) url.path.pop_back();
  return url;
}

std::string Escape(absl::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || c == '-' || c == '.' || c == '_' || c == '~') {
      escaped += c;
    } else {
      escaped += '%';
      escaped += kDigits[byte >> 4];
      escaped += kDigits[byte & 15];
    }
  }
  return escaped;
}

}  // namespace kupen::http
