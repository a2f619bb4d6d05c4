#include "provider/managed/connection.h"

#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "provider/access/secret_watch.h"
#include "provider/base/status.h"
#include "provider/json/json.h"

namespace kupen::managed {
namespace {

using rapidjson::Document;
using rapidjson::Value;
using Type = kube::WatchEvent::Type;

constexpr absl::string_view kSecretType = "connection.crossplane.io/v1alpha1";

const Value* ControllerOf(const Value& secret) {
  for (const Value& owner : json::Array(secret, {"metadata", "ownerReferences"})) {
    const Value* controller = json::Find(owner, {"controller"});
    if (controller != nullptr && controller->IsTrue()) return &owner;
  }
  return nullptr;
}

// Whether the Secret is the owner's, or nobody's but meant for this.
absl::Status CheckOwner(const kube::ObjectReference& owner, const kube::ObjectKey& key, const Value& secret) {
  const Value* controller = ControllerOf(secret);
  if (controller != nullptr) {
    if (json::String(*controller, {"uid"}) == owner.uid) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat("Secret ", key.name, " belongs to ", json::String(*controller, {"kind"}),
                                                      " ", json::String(*controller, {"name"}),
                                                      ": name another in spec.writeConnectionSecretToRef"));
  }
  if (json::String(secret, {"type"}) == kSecretType) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("there is a Secret ", key.name, " already, of type ",
                                                    json::String(secret, {"type"}),
                                                    ": delete it, or name another in spec.writeConnectionSecretToRef"));
}

Value OwnerReferences(const kube::ObjectReference& owner, json::Allocator& allocator) {
  Value reference(rapidjson::kObjectType);
  json::Set(reference, "apiVersion", owner.api_version, allocator);
  json::Set(reference, "kind", owner.kind, allocator);
  json::Set(reference, "name", owner.key.name, allocator);
  json::Set(reference, "uid", owner.uid, allocator);
  json::Set(reference, "controller", Value(true), allocator);
  json::Set(reference, "blockOwnerDeletion", Value(true), allocator);
  Value list(rapidjson::kArrayType);
  list.PushBack(reference, allocator);
  return list;
}

// Those that the Secret does not have, or has otherwise.
Value Missing(const ConnectionDetails& details, const Value& secret, json::Allocator& allocator) {
  Value data(rapidjson::kObjectType);
  for (const auto& [name, value] : details) {
    const std::string encoded = absl::Base64Escape(value);
    if (json::String(secret, {"data", name}) != encoded) json::Set(data, name, encoded, allocator);
  }
  return data;
}

std::string VersionOf(const Value& object) { return std::string(json::String(object, {"metadata", "resourceVersion"})); }

}  // namespace

absl::Status ConnectionSecrets::Publish(const runtime::Key& key, const kube::ObjectReference& owner, const std::string& secret,
                                        const ConnectionDetails& details, const std::stop_token& stop) {
  const kube::ObjectKey place = {owner.key.ns, secret};
  const size_t content = absl::HashOf(owner.uid, details);
  {
    const std::lock_guard guard(mutex_);
    const auto known = published_.find(place);
    if (known != published_.end() && known->second.key == key && known->second.content == content) return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(std::string version, Write(owner, place, details, stop));
  const std::lock_guard guard(mutex_);
  published_[place] = {.key = key, .content = content, .version = std::move(version)};
  return absl::OkStatus();
}

// Gives the version that the Secret has afterwards.
absl::StatusOr<std::string> ConnectionSecrets::Write(const kube::ObjectReference& owner, const kube::ObjectKey& secret,
                                                     const ConnectionDetails& details, const std::stop_token& stop) const {
  Document body(rapidjson::kObjectType);
  auto& allocator = body.GetAllocator();
  Value metadata(rapidjson::kObjectType);
  const absl::StatusOr<Document> present = client_.Get(access::Secrets(), secret, stop);
  if (absl::IsNotFound(present.status())) {
    json::Set(metadata, "name", secret.name, allocator);
    json::Set(metadata, "ownerReferences", OwnerReferences(owner, allocator), allocator);
    json::Set(body, "metadata", std::move(metadata), allocator);
    json::Set(body, "type", kSecretType, allocator);
    json::Set(body, "data", Missing(details, body, allocator), allocator);
    ASSIGN_OR_RETURN(const Document created, client_.Create(access::Secrets(), secret.ns, json::Write(body), stop));
    return VersionOf(created);
  }
  RETURN_IF_ERROR(present.status());
  RETURN_IF_ERROR(CheckOwner(owner, secret, *present));
  Value missing = Missing(details, *present, allocator);
  const bool owned = ControllerOf(*present) != nullptr;
  if (missing.ObjectEmpty() && owned) return VersionOf(*present);
  if (!owned) json::Set(metadata, "ownerReferences", OwnerReferences(owner, allocator), allocator);
  json::Set(body, "metadata", std::move(metadata), allocator);
  json::Set(body, "data", std::move(missing), allocator);
  ASSIGN_OR_RETURN(const Document patched, client_.MergePatch(access::Secrets(), secret, json::Write(body),
                                                              {.resource_version = VersionOf(*present)}, stop));
  return VersionOf(patched);
}

std::vector<runtime::Key> ConnectionSecrets::Take(const kube::WatchEvent& event) {
  if (event.type == Type::kInit) {
    const std::lock_guard guard(mutex_);
    for (auto& [secret, published] : published_) published.listed = false;
    return {};
  }
  if (event.type == Type::kInitDone) return TakeUnlisted();
  const kube::ObjectKey secret = {std::string(json::String(*event.object, {"metadata", "namespace"})),
                                  std::string(json::String(*event.object, {"metadata", "name"}))};
  return TakeVersion(secret, event.type == Type::kDelete ? "" : VersionOf(*event.object));
}

std::vector<runtime::Key> ConnectionSecrets::TakeVersion(const kube::ObjectKey& secret, const std::string& version) {
  const std::lock_guard guard(mutex_);
  const auto known = published_.find(secret);
  if (known == published_.end()) return {};
  known->second.listed = true;
  if (known->second.version == version) return {};
  runtime::Key owner = std::move(known->second.key);
  published_.erase(known);
  return {std::move(owner)};
}

// Deleted while nobody watched.
std::vector<runtime::Key> ConnectionSecrets::TakeUnlisted() {
  std::vector<runtime::Key> gone;
  const std::lock_guard guard(mutex_);
  absl::erase_if(published_, [&](const auto& entry) {
    if (!entry.second.listed) gone.push_back(entry.second.key);
    return !entry.second.listed;
  });
  return gone;
}

}  // namespace kupen::managed
