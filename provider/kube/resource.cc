#include "provider/kube/resource.h"

#include "provider/http/url.h"

namespace kupen::kube {

std::string CollectionPath(const Resource& resource, absl::string_view ns) {
  const std::string root = resource.group.empty() ? "/api" : absl::StrCat("/apis/", http::Escape(resource.group));
  const std::string scope = resource.namespaced && !ns.empty() ? absl::StrCat("/namespaces/", http::Escape(ns)) : "";
  return absl::StrCat(root, "/", resource.version, scope, "/", resource.plural);
}

std::string ObjectPath(const Resource& resource, const ObjectKey& key, absl::string_view subresource) {
  return absl::StrCat(CollectionPath(resource, key.ns), "/", http::Escape(key.name), subresource.empty() ? "" : "/",
                      subresource);
}

}  // namespace kupen::kube
