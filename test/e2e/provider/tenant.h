// A namespace with a cloud: what a tenant has who uses the provider.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/http/server.h"
#include "rapidjson/document.h"
#include "test/support/cluster.h"

namespace kupen::test {

class Tenant {
 public:
  // With a ProviderConfig "mine" for that cloud of the cluster's clouds.yaml (admin, demo).
  explicit Tenant(absl::string_view cloud);
  // Deletes all objects of the provider first, so that nothing stays in the cloud.
  ~Tenant();

  const std::string& ns() const { return namespace_.name(); }
  const absl::Status& status() const { return status_; }

  // Manifests in which $NS, $CONFIG (a providerConfigRef) and $IMAGE (a URL with $SUM, its sha256) stand for what they are
  // here.
  absl::Status Apply(absl::string_view manifests) const;
  // "network/blue".
  absl::StatusOr<rapidjson::Document> Get(absl::string_view object) const;
  absl::Status AwaitReady(const std::vector<std::string>& objects, absl::Duration limit) const;
  // The condition's status, reason and message, in one line.
  absl::StatusOr<std::string> Condition(absl::string_view object, absl::string_view type) const;
  absl::Status AwaitCondition(absl::string_view object, absl::string_view type, absl::string_view part,
                              absl::Duration limit) const;
  absl::StatusOr<std::string> ExternalName(absl::string_view object) const;
  // kubectl in this namespace.
  absl::StatusOr<std::string> Run(std::vector<std::string> arguments) const;

 private:
  std::string Filled(absl::string_view manifests) const;

  ScratchNamespace namespace_;
  std::unique_ptr<http::Server> images_;
  std::string image_sum_;
  absl::Status status_;
};

// The group's name in full, which no other group's short name gets in the way of: "network/blue" →
// "network.network.m.kupenstack.io/blue".
std::string FullName(absl::string_view object);

// The openstack client as that cloud's user.
absl::StatusOr<std::string> OpenStack(absl::string_view cloud, std::vector<std::string> arguments);

}  // namespace kupen::test
