// The endpoints of a cloud, as its Keystone lists them with every token.
//
//   catalog.Endpoint("block-storage", "RegionOne", "public")   // "http://cinder:8776/v3/1f0…", listed there as volumev3
//
// The choice is keystoneauth's: the official type if the catalog has an endpoint for it, else its aliases in order. There is no
// fallback from one interface to another: an internal network's address is no substitute for a public one, nor the reverse.
// Thread safety: immutable.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rapidjson/document.h"

namespace kupen::openstack {

class Catalog {
 public:
  // From `token.catalog` of Keystone's answer.
  static Catalog Parse(const rapidjson::Value& catalog);

  // Any region, if empty. NOT_FOUND says what the catalog has instead.
  absl::StatusOr<std::string> Endpoint(absl::string_view service_type, absl::string_view region,
                                       absl::string_view interface) const;

  // The types in the catalog, sorted, each once.
  std::vector<std::string> ServiceTypes() const;
  // The regions that have endpoints, likewise.
  std::vector<std::string> Regions() const;

 private:
  struct Entry {
    std::string type;
    std::string region;
    std::string interface;
    std::string url;
  };

  absl::Status NoEndpoint(absl::string_view service_type, absl::string_view region, absl::string_view interface) const;

  std::vector<Entry> entries_;
};

}  // namespace kupen::openstack
