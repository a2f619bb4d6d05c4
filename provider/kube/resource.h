// Which objects: a resource of the Kubernetes API and an object's place in it, as paths.
//
//   const Resource config_maps{.version = "v1", .plural = "configmaps"};
//   ObjectPath(config_maps, {"default", "kube-root-ca.crt"})   // /api/v1/namespaces/default/configmaps/kube-root-ca.crt
#pragma once

#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace kupen::kube {

struct Resource {
  // Empty for the core group.
  std::string group = {};
  std::string version;
  std::string plural;
  bool namespaced = true;

  // "configmaps.v1", "networks.v1alpha1.network.m.kupenstack.io": for messages.
  std::string ToString() const { return absl::StrCat(plural, ".", version, group.empty() ? "" : ".", group); }
};

// Namespace and name; the namespace is empty for cluster-scoped objects.
struct ObjectKey {
  std::string ns;
  std::string name;

  std::string ToString() const { return ns.empty() ? name : absl::StrCat(ns, "/", name); }

  friend bool operator==(const ObjectKey& a, const ObjectKey& b) { return a.ns == b.ns && a.name == b.name; }
  friend bool operator<(const ObjectKey& a, const ObjectKey& b) { return std::tie(a.ns, a.name) < std::tie(b.ns, b.name); }
  template <typename H>
  friend H AbslHashValue(H state, const ObjectKey& key) {
    return H::combine(std::move(state), key.ns, key.name);
  }
};

// Of all namespaces, if none is given.
std::string CollectionPath(const Resource& resource, absl::string_view ns = "");
std::string ObjectPath(const Resource& resource, const ObjectKey& key, absl::string_view subresource = "");

}  // namespace kupen::kube
