#include "test/support/audit_log.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/support/cluster.h"

namespace kupen::test {

AuditLog::AuditLog() : path_(absl::StrCat(ClusterVariable("KUPENSTACK_LOGS"), "/audit.log")) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path_, none);
  if (!none) begin_ = static_cast<std::int64_t>(size);
}

absl::StatusOr<std::map<std::string, int>> AuditLog::Writes(absl::string_view user, absl::string_view ns) const {
  std::ifstream file(path_);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path_));
  file.seekg(begin_);
  std::map<std::string, int> writes;
  for (std::string line; std::getline(file, line);) {
    const absl::StatusOr<rapidjson::Document> entry = json::Parse(line);
    // The last line may be only half written.
    if (!entry.ok() || !absl::StartsWith(json::String(*entry, {"user", "username"}), user)) continue;
    if (json::String(*entry, {"objectRef", "namespace"}) != ns) continue;
    const rapidjson::Value* code = json::Find(*entry, {"responseStatus", "code"});
    if (code == nullptr || code->GetInt() >= 300) continue;
    const absl::string_view subresource = json::String(*entry, {"objectRef", "subresource"});
    const absl::string_view name = json::String(*entry, {"objectRef", "name"});
    const std::pair<absl::string_view, absl::string_view> first_word = absl::StrSplit(name, absl::MaxSplits('.', 1));
    ++writes[absl::StrCat(json::String(*entry, {"objectRef", "resource"}), subresource.empty() ? "" : "/", subresource, "/",
                          json::String(*entry, {"objectRef", "resource"}) == "events" ? first_word.first : name)];
  }
  return writes;
}

}  // namespace kupen::test
