#include "test/simulator/service.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "provider/http/url.h"

namespace kupen::simulator {
namespace {

bool IsParameter(absl::string_view segment) { return absl::StartsWith(segment, "{"); }

bool Matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  return std::equal(pattern.begin(), pattern.end(), path.begin(), path.end(),
                    [](const std::string& wanted, const std::string& given) { return IsParameter(wanted) || wanted == given; });
}

}  // namespace

void Service::On(absl::string_view method, absl::string_view pattern, RouteHandler handler) {
  routes_.push_back({.method = std::string(method), .segments = absl::StrSplit(pattern, '/'), .handler = std::move(handler)});
}

Collection& Service::Objects(absl::string_view collection) const {
  return world_.store[absl::StrCat(names_.type, "/", collection)];
}

Answer Service::Handle(Call& call) const {
  std::vector<std::string> path = absl::StrSplit(call.path, '/');
  for (std::string& segment : path) segment = Unescape(segment);
  bool known = false;
  for (const Route& route : routes_) {
    if (!Matches(route.segments, path)) continue;
    known = true;
    if (route.method != call.method()) continue;
    for (size_t i = 0; i < path.size(); ++i) {
      if (IsParameter(route.segments[i])) call.parameters.push_back(path[i]);
    }
    return route.handler(call);
  }
  return known ? Refuse(405, "Method Not Allowed") : Refuse(404, "The resource could not be found.");
}

Page SelectPage(const Call& call, const Collection& collection, const PageRequest& wanted,
                absl::FunctionRef<bool(const Object& row)> fits) {
  Page page;
  size_t limit = wanted.usual;
  if (call.HasQuery("limit")) {
    if (!absl::SimpleAtoi(call.Query("limit"), &limit)) return {.problem = Page::Problem::kLimit};
    limit = std::min(limit, wanted.largest);
  }
  const Collection::Rows& rows = collection.rows();
  const absl::string_view marker = call.Query("marker");
  const auto begin = marker.empty() ? rows.end() : collection.Position(marker);
  if (!marker.empty() && begin == rows.end()) return {.problem = Page::Problem::kMarker};
  // True once the page has one row more than it may have.
  const auto take = [&](const Object& row) {
    if (!fits(row)) return false;
    page.more = page.rows.size() == limit;
    if (!page.more) page.rows.push_back(&row);
    return page.more;
  };
  if (wanted.newest_first) {
    for (auto row = marker.empty() ? rows.rbegin() : std::make_reverse_iterator(begin); row != rows.rend(); ++row) {
      if (take(*row->second)) break;
    }
  } else {
    for (auto row = marker.empty() ? rows.begin() : std::next(begin); row != rows.end(); ++row) {
      if (take(*row->second)) break;
    }
  }
  page.full = !page.rows.empty() && page.rows.size() == limit;
  return page;
}

std::string QueryWithMarker(const Call& call, absl::string_view marker) {
  std::vector<std::string> parts;
  parts.reserve(call.query.size() + 1);
  for (const auto& [name, value] : call.query) {
    if (name != "marker") parts.push_back(absl::StrCat(http::Escape(name), "=", http::Escape(value)));
  }
  if (!marker.empty()) parts.push_back(absl::StrCat("marker=", http::Escape(marker)));
  return absl::StrJoin(parts, "&");
}

void WriteMembers(Json& out, const rapidjson::Value& object, absl::FunctionRef<bool(absl::string_view name)> keep) {
  for (const auto& member : object.GetObject()) {
    const absl::string_view name = json::String(member.name);
    if (keep(name)) out.Value(name, member.value);
  }
}

}  // namespace kupen::simulator
