#include "provider/openstack/catalog.h"

#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "provider/json/json.h"
#include "provider/openstack/service.h"

namespace kupen::openstack {

Catalog Catalog::Parse(const rapidjson::Value& catalog) {
  Catalog result;
  for (const rapidjson::Value& service : json::Array(catalog)) {
    for (const rapidjson::Value& endpoint : json::Array(service, {"endpoints"})) {
      // Keystone gives both names of the region, other implementations one of them.
      absl::string_view region = json::String(endpoint, {"region_id"});
      if (region.empty()) region = json::String(endpoint, {"region"});
      Entry entry{.type = std::string(json::String(service, {"type"})),
                  .region = std::string(region),
                  .interface = std::string(json::String(endpoint, {"interface"})),
                  .url = std::string(json::String(endpoint, {"url"}))};
      if (!entry.url.empty()) result.entries_.push_back(std::move(entry));
    }
  }
  return result;
}

absl::StatusOr<std::string> Catalog::Endpoint(absl::string_view service_type, absl::string_view region,
                                              absl::string_view interface) const {
  const Service service = ServiceNamed(service_type);
  std::vector<absl::string_view> types = {service.type};
  types.insert(types.end(), service.aliases.begin(), service.aliases.end());
  for (const absl::string_view type : types) {
    for (const Entry& entry : entries_) {
      if (entry.type == type && entry.interface == interface && (region.empty() || entry.region == region)) return entry.url;
    }
  }
  return NoEndpoint(service.type, region, interface);
}

absl::Status Catalog::NoEndpoint(absl::string_view service_type, absl::string_view region, absl::string_view interface) const {
  std::set<std::string> others;
  for (const Entry& entry : entries_) {
    if (ServiceNamed(entry.type).type == service_type)
      others.insert(absl::StrCat(entry.interface, " in region ", entry.region));
  }
  const std::string wanted = absl::StrCat("the cloud's catalog has no ", interface, " endpoint of ", service_type,
                                          region.empty() ? "" : absl::StrCat(" in region ", region));
  if (!others.empty()) return absl::NotFoundError(absl::StrCat(wanted, "; it has: ", absl::StrJoin(others, ", ")));
  if (entries_.empty())
    return absl::NotFoundError(absl::StrCat(wanted, ": it is empty; give a project for the token to be for"));
  return absl::NotFoundError(absl::StrCat(wanted, "; it has the services ", absl::StrJoin(ServiceTypes(), ", ")));
}

std::vector<std::string> Catalog::ServiceTypes() const {
  std::set<std::string> types;
  for (const Entry& entry : entries_) types.insert(entry.type);
  return {types.begin(), types.end()};
}

std::vector<std::string> Catalog::Regions() const {
  std::set<std::string> regions;
  for (const Entry& entry : entries_) {
    if (!entry.region.empty()) regions.insert(entry.region);
  }
  return {regions.begin(), regions.end()};
}

}  // namespace kupen::openstack
