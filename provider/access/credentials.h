// From a ProviderConfig or ClusterProviderConfig and its Secret to a cloud that can be logged in to.
//
//   ASSIGN_OR_RETURN(const ConfigSpec spec, ParseConfig(ref, object));
//   ASSIGN_OR_RETURN(const rapidjson::Document secret, client.Get(kSecrets, spec.secret, stop));
//   ASSIGN_OR_RETURN(const openstack::Cloud cloud, CloudOf(spec, secret));
//
// Errors name the field, or the Secret and its key; never a value out of the Secret.
#pragma once

#include <map>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/access/scope.h"
#include "provider/kube/resource.h"
#include "provider/openstack/cloud.h"
#include "rapidjson/document.h"

namespace kupen::access {

// Which namespaces a configuration serves: those that meet all that is given.
struct NamespaceSelector {
  // Any, if empty.
  std::set<std::string> names = {};
  std::map<std::string, std::string> labels = {};

  bool needs_labels() const { return !labels.empty(); }
};

struct ConfigSpec {
  kube::ObjectKey secret;
  std::string secret_key;
  // Which cloud of clouds.yaml; empty for the only one.
  std::string cloud = "";
  // Those of clouds.yaml, if empty.
  std::string region = "";
  std::string interface = "";
  NamespaceSelector namespaces = {};
};

// Trusts nothing to the CRD's checks: a ProviderConfig that names a Secret of another namespace, or any source but a Secret, is
// refused here too. Else a tenant could have anybody's credentials sent to an address of his choice.
absl::StatusOr<ConfigSpec> ParseConfig(const ConfigRef& ref, const rapidjson::Value& object);

// The Secret as the API server gives it.
absl::StatusOr<openstack::Cloud> CloudOf(const ConfigSpec& spec, const rapidjson::Value& secret);

}  // namespace kupen::access
