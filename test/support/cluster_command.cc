#include "test/support/cluster_command.h"

#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/support/cluster.h"
#include "test/support/subprocess.h"

namespace kupen::test {

absl::StatusOr<std::string> Cluster(std::vector<std::string> arguments, const std::vector<std::string>& variables) {
  std::vector<std::string> command = {"env"};
  command.insert(command.end(), variables.begin(), variables.end());
  command.push_back(absl::StrCat(ClusterVariable("KUPENSTACK_SOURCE"), "/cluster"));
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command, {.limit = absl::Minutes(5)});
}

absl::StatusOr<ClusterState> GetClusterState(const std::vector<std::string>& variables) {
  ASSIGN_OR_RETURN(const std::string text, Cluster({"status", "--json"}, variables));
  ASSIGN_OR_RETURN(const rapidjson::Document status, json::Parse(text));
  ClusterState state;
  for (const rapidjson::Value& part : json::Array(status, {"parts"})) {
    state.parts.push_back({.name = std::string(json::String(part, {"name"})),
                           .state = std::string(json::String(part, {"state"})),
                           .pid = json::Find(part, {"pid"})->GetInt()});
  }
  state.resident_bytes = json::Find(status, {"rssKiB"})->GetInt64() * 1024;
  return state;
}

}  // namespace kupen::test
