#include "test/simulator/neutron_tables.h"

namespace kupen::simulator {
namespace {

using Type = AttributeType;

constexpr uint8_t kBoth = kPost | kPut;

// What every resource has, before and after its own.
std::vector<Attribute> WithCommon(std::vector<Attribute> own) {
  std::vector<Attribute> all = {
      {"id", Type::kString, kShow, ""},
      {"name", Type::kString, kBoth, R"("")"},
      {"tenant_id", Type::kString, kPost | kAdminWrite, ""},
  };
  all.insert(all.end(), own.begin(), own.end());
  const std::vector<Attribute> last = {
      {"description", Type::kString, kBoth, R"("")"}, {"tags", Type::kList, kShow, "[]"},
      {"created_at", Type::kString, kShow, ""},       {"updated_at", Type::kString, kShow, ""},
      {"revision_number", Type::kInt, kShow, "0"},    {"project_id", Type::kString, kPost | kAdminWrite, ""},
  };
  all.insert(all.end(), last.begin(), last.end());
  return all;
}

}  // namespace

const Attribute* NeutronResource::Find(absl::string_view attribute) const {
  for (const Attribute& one : attributes) {
    if (one.name == attribute) return &one;
  }
  return nullptr;
}

const NeutronResource& NetworkResource() {
  static const auto* const kResource =
      new NeutronResource{.name = "network",
                          .collection = "networks",
                          .not_found_type = "NetworkNotFound",
                          .not_found_format = "Network $0 could not be found.",
                          .attributes = WithCommon({
                              {"admin_state_up", Type::kBool, kBoth, "true"},
                              {"mtu", Type::kInt, kBoth, "1450"},
                              {"status", Type::kString, kShow, R"("ACTIVE")"},
                              {"subnets", Type::kList, kShow, "[]"},
                              {"shared", Type::kBool, kBoth | kAdminWrite, "false"},
                              {"availability_zone_hints", Type::kList, kPost, "[]"},
                              {"availability_zones", Type::kList, kShow, "[]"},
                              {"ipv4_address_scope", Type::kAny, kShow, "null"},
                              {"ipv6_address_scope", Type::kAny, kShow, "null"},
                              {"router:external", Type::kBool, kBoth | kAdminWrite, "false"},
                              {"is_default", Type::kBool, kBoth | kAdminWrite, "false"},
                              {"port_security_enabled", Type::kBool, kBoth, "true"},
                              {"qos_policy_id", Type::kAny, kBoth, "null"},
                              {"dns_domain", Type::kString, kBoth, R"("")"},
                              {"provider:network_type", Type::kAny, kPost | kAdminWrite | kAdminRead, R"("vxlan")"},
                              {"provider:physical_network", Type::kAny, kPost | kAdminWrite | kAdminRead, "null"},
                              {"provider:segmentation_id", Type::kAny, kPost | kAdminWrite | kAdminRead, ""},
                              {"segments", Type::kList, kPost | kAdminWrite | kHidden, ""},
                          })};
  return *kResource;
}

const NeutronResource& SubnetResource() {
  static const auto* const kResource = new NeutronResource{.name = "subnet",
                                                           .collection = "subnets",
                                                           .not_found_type = "SubnetNotFound",
                                                           .not_found_format = "Subnet $0 could not be found.",
                                                           .attributes = WithCommon({
                                                               {"network_id", Type::kString, kPost | kRequired, ""},
                                                               {"ip_version", Type::kInt, kPost | kRequired, ""},
                                                               {"subnetpool_id", Type::kAny, kPost, "null"},
                                                               {"enable_dhcp", Type::kBool, kBoth, "true"},
                                                               {"ipv6_ra_mode", Type::kAny, kPost, "null"},
                                                               {"ipv6_address_mode", Type::kAny, kPost, "null"},
                                                               {"gateway_ip", Type::kAny, kBoth, ""},
                                                               {"cidr", Type::kAny, kPost, ""},
                                                               {"allocation_pools", Type::kList, kBoth, ""},
                                                               {"host_routes", Type::kList, kBoth, "[]"},
                                                               {"dns_nameservers", Type::kList, kBoth, "[]"},
                                                               {"service_types", Type::kList, kBoth, "[]"},
                                                               {"prefixlen", Type::kInt, kPost | kHidden, ""},
                                                           })};
  return *kResource;
}

const NeutronResource& PortResource() {
  static const auto* const kResource =
      new NeutronResource{.name = "port",
                          .collection = "ports",
                          .not_found_type = "PortNotFound",
                          .not_found_format = "Port $0 could not be found.",
                          .attributes = WithCommon({
                              {"network_id", Type::kString, kPost | kRequired, ""},
                              {"mac_address", Type::kString, kPost, ""},
                              {"admin_state_up", Type::kBool, kBoth, "true"},
                              {"status", Type::kString, kShow, R"("DOWN")"},
                              {"device_id", Type::kString, kBoth, R"("")"},
                              {"device_owner", Type::kString, kBoth, R"("")"},
                              {"fixed_ips", Type::kList, kBoth, "[]"},
                              {"allowed_address_pairs", Type::kList, kBoth, "[]"},
                              {"extra_dhcp_opts", Type::kList, kBoth, "[]"},
                              {"security_groups", Type::kList, kBoth, ""},
                              {"binding:vnic_type", Type::kString, kBoth, R"("normal")"},
                              {"binding:profile", Type::kAny, kBoth | kAdminWrite | kAdminRead, "{}"},
                              {"binding:host_id", Type::kString, kBoth | kAdminWrite | kAdminRead, R"("")"},
                              {"binding:vif_type", Type::kString, kShow | kAdminRead, R"("unbound")"},
                              {"binding:vif_details", Type::kAny, kShow | kAdminRead, "{}"},
                              {"port_security_enabled", Type::kBool, kBoth, "true"},
                              {"qos_policy_id", Type::kAny, kBoth, "null"},
                              {"qos_network_policy_id", Type::kAny, kShow, "null"},
                              {"dns_name", Type::kString, kBoth, R"("")"},
                              {"dns_assignment", Type::kList, kShow, "[]"},
                              {"resource_request", Type::kAny, kShow | kAdminRead, "null"},
                          })};
  return *kResource;
}

const NeutronResource& SecurityGroupResource() {
  static const auto* const kResource = new NeutronResource{.name = "security_group",
                                                           .collection = "security_groups",
                                                           .not_found_type = "SecurityGroupNotFound",
                                                           .not_found_format = "Security group $0 does not exist",
                                                           .attributes = WithCommon({
                                                               {"stateful", Type::kBool, kBoth, "true"},
                                                               {"shared", Type::kBool, kShow, "false"},
                                                               {"security_group_rules", Type::kList, kShow, "[]"},
                                                           })};
  return *kResource;
}

const NeutronResource& SubnetPoolResource() {
  static const auto* const kResource = new NeutronResource{.name = "subnetpool",
                                                           .collection = "subnetpools",
                                                           .not_found_type = "SubnetPoolNotFound",
                                                           .not_found_format = "Subnet pool $0 could not be found.",
                                                           .attributes = WithCommon({
                                                               {"prefixes", Type::kList, kBoth | kRequired, ""},
                                                               {"default_prefixlen", Type::kInt, kBoth, "8"},
                                                               {"min_prefixlen", Type::kInt, kBoth, "8"},
                                                               {"max_prefixlen", Type::kInt, kBoth, "32"},
                                                               {"default_quota", Type::kAny, kBoth, "null"},
                                                               {"address_scope_id", Type::kAny, kBoth, "null"},
                                                               {"ip_version", Type::kInt, kShow, "4"},
                                                               {"shared", Type::kBool, kPost | kAdminWrite, "false"},
                                                               {"is_default", Type::kBool, kBoth | kAdminWrite, "false"},
                                                           })};
  return *kResource;
}

const NeutronResource& QosPolicyResource() {
  static const auto* const kResource = new NeutronResource{.name = "policy",
                                                           .collection = "policies",
                                                           .not_found_type = "QosPolicyNotFound",
                                                           .not_found_format = "QoS policy $0 could not be found.",
                                                           .attributes = WithCommon({
                                                               {"shared", Type::kBool, kBoth | kAdminWrite, "false"},
                                                               {"is_default", Type::kBool, kBoth | kAdminWrite, "false"},
                                                               {"rules", Type::kList, kShow, "[]"},
                                                           })};
  return *kResource;
}

}  // namespace kupen::simulator
