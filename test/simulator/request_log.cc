#include "test/simulator/request_log.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "test/simulator/call.h"

namespace kupen::simulator {
namespace {

// Whose members go by names of their own.
constexpr std::array<absl::string_view, 3> kNamed = {"os-keypairs", "os-extra_specs", "flavors"};
constexpr std::array<absl::string_view, 2> kNoIds = {"detail", "os-extra_specs"};

bool IsId(absl::string_view segment, absl::string_view before) {
  if (IsUuid(segment)) return true;
  const bool hex = segment.size() == 32 && std::all_of(segment.begin(), segment.end(), absl::ascii_isxdigit);
  const bool named = std::find(kNamed.begin(), kNamed.end(), before) != kNamed.end();
  return hex || (named && std::find(kNoIds.begin(), kNoIds.end(), segment) == kNoIds.end());
}

std::string Shape(absl::string_view path) {
  std::vector<std::string> segments = absl::StrSplit(path, '/');
  for (size_t i = segments.size(); i-- > 1;) {
    if (IsId(segments[i], segments[i - 1])) segments[i] = "{id}";
  }
  return absl::StrJoin(segments, "/");
}

}  // namespace

void RequestLog::Note(absl::string_view agent, absl::string_view service, absl::string_view method, absl::string_view path,
                      absl::string_view query, int status) {
  std::vector<std::string> names;
  for (const auto& [name, value] : ParseQuery(query)) {
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  ++counts_[Key(agent, service, method, Shape(path), absl::StrJoin(names, ","), status)];
}

std::vector<RequestCount> RequestLog::Counts() const {
  std::vector<RequestCount> counts;
  counts.reserve(counts_.size());
  for (const auto& [key, count] : counts_) {
    const auto& [agent, service, method, path, query, status] = key;
    counts.push_back(
        {.agent = agent, .service = service, .method = method, .path = path, .query = query, .status = status, .count = count});
  }
  return counts;
}

std::string RequestLog::Write() const {
  Json out;
  out.writer().StartObject();
  out.Key("requests").writer().StartArray();
  for (const RequestCount& one : Counts()) {
    out.writer().StartObject();
    out.Text("agent", one.agent).Text("service", one.service).Text("method", one.method).Text("path", one.path);
    out.Text("query", one.query).Key("status").writer().Int(one.status);
    out.Key("count").writer().Int(one.count);
    out.writer().EndObject();
  }
  out.writer().EndArray();
  out.writer().EndObject();
  return out.Take();
}

}  // namespace kupen::simulator
