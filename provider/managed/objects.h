// The kube mirrors of all kinds, and who in them uses which configuration.
//
//   Objects objects(apis::Registry());
//   objects.StoreOf("network.Network")->AddHandler(…);       // before its watcher starts
//   if (const kube::ObjectPtr network = objects.Get({"network.Network", "team", "private"})) …
//   objects.UsersOf(config_ref)
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "apis/model/kinds.h"
#include "provider/access/scope.h"
#include "provider/kube/object.h"
#include "provider/kube/resource.h"
#include "provider/kube/store.h"
#include "provider/runtime/work_queue.h"

namespace kupen::managed {

// The resource that a kind is in the Kubernetes API.
kube::Resource ResourceOf(const apis::Kind& kind);

// What spec.providerConfigRef of an object says.
access::ConfigRef ConfigRefOf(const rapidjson::Value& object, absl::string_view ns);

class Objects {
 public:
  // Of all kinds, those of configuration too. The kinds must outlive this.
  explicit Objects(const apis::Kinds& kinds);

  // By reference: "network.Network", "ProviderConfig". Null if there is no such kind.
  kube::Store* StoreOf(absl::string_view kind) const;
  // Null if there is none.
  kube::ObjectPtr Get(const runtime::Key& key) const;

  // The managed objects that use a configuration.
  std::vector<runtime::Key> UsersOf(const access::ConfigRef& config) const;
  int64_t CountUsersOf(const access::ConfigRef& config) const;
  // Called without a lock after an object began or ceased to use a configuration. To be set before the first watcher starts.
  void SetUsersHandler(std::function<void(const access::ConfigRef& config)> handler) { on_users_change_ = std::move(handler); }

 private:
  void Index(const std::string& kind, kube::Store& store, const kube::ObjectKey& key);
  // Gives the configurations that have other users now.
  std::vector<access::ConfigRef> Reindex(const runtime::Key& user, const std::optional<access::ConfigRef>& config);

  std::map<std::string, std::unique_ptr<kube::Store>, std::less<>> stores_;
  std::function<void(const access::ConfigRef& config)> on_users_change_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<runtime::Key, access::ConfigRef> config_of_;
  absl::flat_hash_map<access::ConfigRef, absl::flat_hash_set<runtime::Key>> users_;
};

}  // namespace kupen::managed
