#include "test/support/request_log.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

constexpr char kAgent[] = "provider-kupenstack/";

bool Matches(const RequestLog::Filter& filter, const rapidjson::Value& request) {
  return absl::StrContains(json::String(request, {"agent"}), kAgent) &&
         (filter.user.empty() || json::String(request, {"user"}) == filter.user) &&
         (filter.method.empty() || json::String(request, {"method"}) == filter.method) &&
         absl::EndsWith(json::String(request, {"path"}), filter.path_end);
}

}  // namespace

RequestLog::RequestLog() {
  for (const auto& log : std::filesystem::directory_iterator(absl::StrCat(ClusterVariable("KUPENSTACK_LOGS"), "/access"))) {
    begins_[log.path().string()] = static_cast<std::int64_t>(log.file_size());
  }
}

absl::StatusOr<int> RequestLog::Count(const Filter& filter) const {
  int count = 0;
  for (const auto& [path, begin] : begins_) {
    std::ifstream file(path);
    if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
    file.seekg(begin);
    for (std::string line; std::getline(file, line);) {
      const absl::StatusOr<rapidjson::Document> request = json::Parse(line);
      // The last line may be only half written.
      if (request.ok() && Matches(filter, *request)) ++count;
    }
  }
  return count;
}

}  // namespace kupen::test
