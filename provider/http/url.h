// The little that is needed of URLs.
//
//   ASSIGN_OR_RETURN(const Url url, ParseUrl("https://[::1]:6443/prefix"));
//   StrCat("/api/v1/pods?labelSelector=", Escape("app in (a,b)"))
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kupen::http {

struct Url {
  bool tls = false;
  // Without the brackets of an IPv6 address.
  std::string host;
  int port = 0;
  // Empty, or starts with '/' and does not end with one.
  std::string path;

  // "https://host:port", for messages.
  std::string Origin() const;
};

// http or https. Refuses user names and passwords, queries and fragments: none of them belongs to a base URL, and a message
// must be able to show it.
absl::StatusOr<Url> ParseUrl(absl::string_view text);

// Percent-encodes all but RFC 3986's unreserved characters.
std::string Escape(absl::string_view text);

}  // namespace kupen::http
