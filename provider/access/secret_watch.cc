#include "provider/access/secret_watch.h"

#include "provider/access/finalizers.h"
#include "provider/json/json.h"

namespace kupen::access {
namespace {

using Type = kube::WatchEvent::Type;

// No version of any object.
constexpr char kUnread[] = "unread";

}  // namespace

const kube::Resource& Secrets() {
  static const auto* const kSecrets = new kube::Resource{.version = "v1", .plural = "secrets"};
  return *kSecrets;
}

void SecretWatch::Take(const kube::WatchEvent& event) {
  if (event.type == Type::kInit) {
    const std::lock_guard guard(mutex_);
    unseen_.clear();
    for (const auto& [secret, readers] : readers_) unseen_.insert(secret);
    return;
  }
  if (event.type == Type::kInitDone) {
    for (const kube::ObjectKey& secret : unseen_) TakeVersion(secret, "");
    unseen_.clear();
    return;
  }
  const kube::ObjectKey secret = {std::string(json::String(*event.object, {"metadata", "namespace"})),
                                  std::string(json::String(*event.object, {"metadata", "name"}))};
  unseen_.erase(secret);
  if (event.type == Type::kDelete) return TakeVersion(secret, "");
  TakeVersion(secret, json::String(*event.object, {"metadata", "resourceVersion"}));
  if (HasFinalizer(*event.object, finalizer_) && !IsRead(secret)) events_.on_stray(secret);
}

void SecretWatch::TakeVersion(const kube::ObjectKey& secret, absl::string_view version) {
  for (const ConfigRef& config : ReadersOfOtherVersions(secret, version)) events_.on_change(config);
}

std::vector<ConfigRef> SecretWatch::ReadersOfOtherVersions(const kube::ObjectKey& secret, absl::string_view version) const {
  const std::lock_guard guard(mutex_);
  const auto found = readers_.find(secret);
  if (found == readers_.end()) return {};
  std::vector<ConfigRef> others;
  others.reserve(found->second.size());
  for (const auto& [config, read] : found->second) {
    if (read != version) others.push_back(config);
  }
  return others;
}

bool SecretWatch::IsRead(const kube::ObjectKey& secret) const {
  const std::lock_guard guard(mutex_);
  return readers_.contains(secret);
}

void SecretWatch::Expect(const ConfigRef& config, const kube::ObjectKey& secret) {
  const std::lock_guard guard(mutex_);
  const auto found = secret_of_.find(config);
  if (found != secret_of_.end() && found->second == secret) return;
  ForgetLocked(config);
  secret_of_.emplace(config, secret);
  readers_[secret].emplace(config, kUnread);
}

void SecretWatch::Read(const ConfigRef& config, const kube::ObjectKey& secret, absl::string_view version) {
  const std::lock_guard guard(mutex_);
  const auto readers = readers_.find(secret);
  if (readers != readers_.end() && readers->second.contains(config)) readers->second[config] = std::string(version);
}

void SecretWatch::Forget(const ConfigRef& config) {
  const std::lock_guard guard(mutex_);
  ForgetLocked(config);
}

void SecretWatch::ForgetLocked(const ConfigRef& config) {
  const auto found = secret_of_.find(config);
  if (found == secret_of_.end()) return;
  const auto readers = readers_.find(found->second);
  readers->second.erase(config);
  if (readers->second.empty()) readers_.erase(readers);
  secret_of_.erase(found);
}

}  // namespace kupen::access
