#include "provider/cmd/cluster_id.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "provider/base/status.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"
#include "provider/kube/resource.h"

namespace kupen::cmd {
namespace {

const kube::Resource& ConfigMaps() {
  static const kube::Resource kResource{.version = "v1", .plural = "configmaps"};
  return kResource;
}

absl::StatusOr<std::string> IdIn(const rapidjson::Value& map, const std::string& ns) {
  const absl::string_view id = json::String(map, {"data", "id"});
  if (!id.empty()) return std::string(id);
  return absl::FailedPreconditionError(absl::StrCat("ConfigMap ", ns, "/", kClusterIdMap,
                                                    " has no data.id: restore it from a backup, or delete the ConfigMap and",
                                                    " take over every object that this cluster made in a cloud"));
}

}  // namespace

absl::StatusOr<std::string> FindOrMakeClusterId(const kube::Client& client, const std::string& ns,
                                                const std::stop_token& stop) {
  const kube::ObjectKey key{.ns = ns, .name = std::string(kClusterIdMap)};
  absl::StatusOr<rapidjson::Document> map = client.Get(ConfigMaps(), key, stop);
  if (absl::IsNotFound(map.status())) {
    map =
        client.Create(ConfigMaps(), ns,
                      absl::Substitute(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"$0"},"data":{"id":"$1"}})",
                                       kClusterIdMap, NewUuid()),
                      stop);
    // Another replica was quicker.
    if (absl::IsAlreadyExists(map.status())) map = client.Get(ConfigMaps(), key, stop);
  }
  if (!map.ok()) return Annotate(map.status(), "cluster id");
  return IdIn(*map, ns);
}

}  // namespace kupen::cmd
