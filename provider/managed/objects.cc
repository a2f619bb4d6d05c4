#include "provider/managed/objects.h"

#include <utility>

#include "provider/json/json.h"

namespace kupen::managed {

kube::Resource ResourceOf(const apis::Kind& kind) {
  return {.group = kind.group, .version = kind.version, .plural = kind.plural, .namespaced = !kind.options.cluster_scoped()};
}

access::ConfigRef ConfigRefOf(const rapidjson::Value& object, absl::string_view ns) {
  access::ConfigRef ref{.kind = std::string(json::String(object, {"spec", "providerConfigRef", "kind"})),
                        .ns = "",
                        .name = std::string(json::String(object, {"spec", "providerConfigRef", "name"}))};
  if (ref.kind.empty()) ref.kind = std::string(access::kClusterProviderConfig);
  if (ref.name.empty()) ref.name = "default";
  if (ref.kind == access::kProviderConfig) ref.ns = std::string(ns);
  return ref;
}

Objects::Objects(const apis::Kinds& kinds) {
  for (const apis::Kind& kind : kinds.all()) {
    kube::Store& store = *stores_.emplace(kind.reference(), std::make_unique<kube::Store>()).first->second;
    if (!kind.managed()) continue;
    store.AddHandler(
        [this, name = kind.reference(), &store](const kube::ObjectKey& key, kube::Store::Change) { Index(name, store, key); });
  }
}

kube::Store* Objects::StoreOf(absl::string_view kind) const {
  const auto found = stores_.find(kind);
  return found == stores_.end() ? nullptr : found->second.get();
}

kube::ObjectPtr Objects::Get(const runtime::Key& key) const {
  const kube::Store* store = StoreOf(key.kind);
  return store == nullptr ? nullptr : store->Get({key.object_namespace, key.name});
}

std::vector<runtime::Key> Objects::UsersOf(const access::ConfigRef& config) const {
  const std::lock_guard guard(mutex_);
  const auto found = users_.find(config);
  if (found == users_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

int64_t Objects::CountUsersOf(const access::ConfigRef& config) const {
  const std::lock_guard guard(mutex_);
  const auto found = users_.find(config);
  return found == users_.end() ? 0 : static_cast<int64_t>(found->second.size());
}

void Objects::Index(const std::string& kind, kube::Store& store, const kube::ObjectKey& key) {
  std::optional<access::ConfigRef> config;
  if (const kube::ObjectPtr object = store.Get(key)) {
    const absl::StatusOr<rapidjson::Document> document = json::Parse(object->json());
    if (!document.ok()) return;
    config = ConfigRefOf(*document, key.ns);
  }
  for (const access::ConfigRef& changed : Reindex({.kind = kind, .object_namespace = key.ns, .name = key.name}, config)) {
    if (on_users_change_ != nullptr) on_users_change_(changed);
  }
}

std::vector<access::ConfigRef> Objects::Reindex(const runtime::Key& user, const std::optional<access::ConfigRef>& config) {
  std::vector<access::ConfigRef> changed;
  const std::lock_guard guard(mutex_);
  if (const auto before = config_of_.find(user); before != config_of_.end()) {
    if (config == before->second) return {};
    const auto users = users_.find(before->second);
    users->second.erase(user);
    if (users->second.empty()) users_.erase(users);
    changed.push_back(std::move(before->second));
    config_of_.erase(before);
  }
  if (config.has_value()) {
    config_of_[user] = *config;
    users_[*config].insert(user);
    changed.push_back(*config);
  }
  return changed;
}

}  // namespace kupen::managed
