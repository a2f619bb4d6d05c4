#include "provider/openstack/service.h"

#include <algorithm>

namespace kupen::openstack {
namespace {

// Of the aliases in the service types authority only those that can mean the current API: a "volumev2" endpoint serves an API
// that no longer exists.
const std::vector<Service>& Services() {
  static const auto* const kServices = new std::vector<Service>{
      {"identity", "keystone", {}, "/v3", ""},
      {"compute", "nova", {}, "/v2.1", "compute"},
      {"network", "neutron", {}, "/v2.0", ""},
      {"image", "glance", {}, "/v2", ""},
      {"block-storage", "cinder", {"volumev3", "block-store"}, "/v3", "volume"},
      {"load-balancer", "octavia", {}, "/v2", ""},
      {"placement", "placement", {}, "", "placement"},
      {"dns", "designate", {}, "/v2", ""},
      {"key-manager", "barbican", {}, "/v1", ""},
      {"object-store", "swift", {}, "", ""},
      {"shared-file-system", "manila", {"sharev2"}, "/v2", ""},
      {"orchestration", "heat", {}, "", ""},
      {"container-infrastructure-management", "magnum", {"container-infrastructure", "container-infra"}, "/v1", ""},
      {"baremetal", "ironic", {"bare-metal"}, "/v1", ""},
  };
  return *kServices;
}

}  // namespace

Service ServiceNamed(absl::string_view type) {
  for (const Service& service : Services()) {
    const bool alias = std::find(service.aliases.begin(), service.aliases.end(), type) != service.aliases.end();
    if (service.type == type || alias) return service;
  }
  return {.type = type, .project = type, .aliases = {}, .version_path = "", .microversion_name = ""};
}

}  // namespace kupen::openstack
