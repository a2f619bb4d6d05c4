#include "provider/kinds/image/source.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "provider/base/status.h"
#include "provider/http/client.h"
#include "provider/http/url.h"

namespace kupen::kinds {
namespace {

constexpr int kMaxRedirects = 5;
constexpr int kOk = 200;

// A URL in two parts: http::ParseUrl() is for origins and takes no query.
struct Location {
  http::Url origin;
  // Path and query.
  std::string target;

  std::string ToString() const { return absl::StrCat(origin.Origin(), target); }
};

absl::StatusOr<Location> ParseLocation(absl::string_view url) {
  const absl::string_view whole = url.substr(0, url.find('#'));
  const size_t scheme_end = whole.find("://");
  const size_t end = scheme_end == absl::string_view::npos ? scheme_end : whole.find_first_of("/?", scheme_end + 3);
  const absl::string_view target = end == absl::string_view::npos ? "" : whole.substr(end);
  ASSIGN_OR_RETURN(http::Url origin, http::ParseUrl(whole.substr(0, end)));
  return Location{.origin = std::move(origin), .target = absl::StrCat(absl::StartsWith(target, "/") ? "" : "/", target)};
}

// What a Location header means where it was found: RFC 3986 §5, without its dot segments.
absl::StatusOr<Location> Follow(const Location& from, absl::string_view to) {
  if (absl::StrContains(to.substr(0, to.find_first_of("/?#")), ':')) return ParseLocation(to);
  if (absl::StartsWith(to, "//")) return ParseLocation(absl::StrCat(from.origin.tls ? "https:" : "http:", to));
  const std::string path = from.target.substr(0, from.target.find('?'));
  const std::string directory = path.substr(0, path.rfind('/') + 1);
  const std::string base = absl::StartsWith(to, "/") ? "" : absl::StartsWith(to, "?") ? path : directory;
  return Location{.origin = from.origin, .target = absl::StrCat(base, to.substr(0, to.find('#')))};
}

bool IsRedirect(int status) { return status == 301 || status == 302 || status == 303 || status == 307 || status == 308; }

absl::StatusOr<http::Response> Fetch(const Location& location, const SourceOptions& options,
                                     const std::function<void()>& on_start, const http::BodySink& on_data,
                                     const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const std::unique_ptr<http::Client> client,
                   http::Client::Create(
                       {.base_url = location.origin.Origin(), .tls = options.tls, .max_idle = 0, .allowed = options.allowed}));
  int status = 0;
  return client->Stream(
      {.target = location.target,
       // As it is: the checksum is that of the file.
       .headers = {{"Accept", "*/*"}, {"Accept-Encoding", "identity"}},
       .timeout = options.patience},
      [&](const http::Response& head) {
        status = head.status;
        if (status == kOk) on_start();
      },
      [&](absl::string_view piece) { return status == kOk && on_data(piece); }, stop);
}

}  // namespace

std::string WithoutQuery(const std::string& url) { return url.substr(0, url.find_first_of("?#")); }

absl::Status ReadSource(const std::string& url, const SourceOptions& options, const std::function<void()>& on_start,
                        const http::BodySink& on_data, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(Location location, ParseLocation(url));
  for (int redirects = 0; redirects <= kMaxRedirects; ++redirects) {
    ASSIGN_OR_RETURN(const http::Response response, Fetch(location, options, on_start, on_data, stop));
    const std::string what = absl::StrCat("GET ", WithoutQuery(location.ToString()));
    if (response.status == kOk) return absl::OkStatus();
    if (!IsRedirect(response.status)) {
      return absl::FailedPreconditionError(absl::StrCat(what, ": answered with ", response.status, " instead of 200"));
    }
    const absl::string_view to = http::Find(response.headers, "Location");
    if (to.empty()) return absl::FailedPreconditionError(absl::StrCat(what, ": redirected without saying where"));
    absl::StatusOr<Location> next = Follow(location, to);
    if (!next.ok()) return Annotate(next.status(), absl::StrCat(what, ": redirected"));
    if (location.origin.tls && !next->origin.tls) {
      return absl::FailedPreconditionError(
          absl::StrCat(what, ": redirected from https to ", next->origin.Origin(),
                       ", where anybody on the way can change the data; if that is meant, give the http URL and a checksum"));
    }
    location = *std::move(next);
  }
  return absl::FailedPreconditionError(
      absl::StrCat("GET ", WithoutQuery(url), ": redirected more than ", kMaxRedirects, " times"));
}

}  // namespace kupen::kinds
