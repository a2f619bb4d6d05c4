// What Nova refuses to make a server of.
#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "provider/json/json.h"
#include "test/simulator/nova.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

// The only zone.
constexpr absl::string_view kZone = "nova";

constexpr std::array<absl::string_view, 26> kMembers = {"name",
                                                        "flavorRef",
                                                        "imageRef",
                                                        "networks",
                                                        "key_name",
                                                        "user_data",
                                                        "security_groups",
                                                        "metadata",
                                                        "tags",
                                                        "description",
                                                        "config_drive",
                                                        "min_count",
                                                        "max_count",
                                                        "return_reservation_id",
                                                        "personality",
                                                        "availability_zone",
                                                        "accessIPv4",
                                                        "accessIPv6",
                                                        "adminPass",
                                                        "hostname",
                                                        "OS-DCF:diskConfig",
                                                        "host",
                                                        "block_device_mapping_v2",
                                                        "trusted_image_certificates",
                                                        "hypervisor_hostname",
                                                        "block_device_mapping"};

}  // namespace

std::optional<Answer> Nova::CheckServer(const Call& call, const Value& given, NewServer& server) {
  for (const auto& member : given.GetObject()) {
    const absl::string_view name = json::String(member.name);
    if (std::find(kMembers.begin(), kMembers.end(), name) == kMembers.end()) {
      return Refuse(400, absl::StrCat("Invalid input for field/attribute server. Additional properties are not allowed ('",
                                      name, "' was unexpected)"));
    }
  }
  for (const absl::string_view required : {"name", "flavorRef"}) {
    if (json::Find(given, {required}) == nullptr) {
      return Refuse(400, absl::StrCat("Invalid input for field/attribute server. '", required, "' is a required property"));
    }
  }
  for (const Value& tag : json::Array(given, {"tags"})) {
    if (json::String(tag).find_first_of(",/") != absl::string_view::npos) {
      return Refuse(400, absl::StrCat("Invalid input for field/attribute 0. Value: ", json::String(tag), "."));
    }
  }
  const absl::string_view image = json::String(given, {"imageRef"});
  if (!image.empty() && !IsUuid(image))
    return Refuse(400, absl::StrCat("Invalid input for field/attribute imageRef. Value: ", image));
  const absl::string_view zone = json::String(given, {"availability_zone"});
  if (!zone.empty() && zone != kZone) return Refuse(400, "The requested availability zone is not available");
  const std::string flavor(json::String(given, {"flavorRef"}));
  server.flavor = FindFlavor(call, flavor);
  if (server.flavor == nullptr) return Refuse(400, absl::StrCat("Flavor ", flavor, " could not be found."));
  if (image.empty() && json::Array(given, {"block_device_mapping_v2"}).Empty()) {
    return Refuse(400, "Invalid imageRef provided.");
  }
  if (!image.empty()) {
    const Object* found = glance_.FindImage(call, image);
    if (found == nullptr) return Refuse(400, "Can not find requested image");
    if (found->Text("status") != "active") return Refuse(400, absl::StrCat("Image ", image, " is not active."));
  }
  const absl::string_view key = json::String(given, {"key_name"});
  if (!key.empty() && KeyPairsOf(call).Find(key) == nullptr) return Refuse(400, "Invalid key_name provided.");
  for (const Value& group : json::Array(given, {"security_groups"})) {
    const absl::string_view name = json::String(group, {"name"});
    const Object* found = neutron_.FindSecurityGroup(call, name);
    if (found == nullptr) return Refuse(400, absl::StrCat("Unable to find security_group with name or id '", name, "'"));
    server.groups.push_back(found->id());
  }
  const absl::string_view group = json::String(call.body, {"os:scheduler_hints", "group"});
  server.server_group = FindServerGroup(call, group);
  if (!group.empty() && server.server_group == nullptr) {
    return Refuse(400, absl::StrCat("Instance group ", group, " could not be found."));
  }
  if (std::optional<Answer> wrong = CheckVolumes(call, given)) return wrong;
  if (std::optional<Answer> wrong = CheckNetworks(call, given, server)) return wrong;
  return CheckQuota(call, given);
}

std::optional<Answer> Nova::CheckVolumes(const Call& call, const Value& given) const {
  for (const Value& device : json::Array(given, {"block_device_mapping_v2"})) {
    if (json::String(device, {"source_type"}) != "volume") continue;
    const absl::string_view id = json::String(device, {"uuid"});
    const Object* volume = cinder_.FindVolume(call, id);
    if (volume == nullptr) {
      return Refuse(400, absl::StrCat("Block Device Mapping is Invalid: failed to get volume ", id, "."));
    }
    if (volume->Text("status") != "available") {
      return Refuse(400, absl::StrCat("Invalid volume: volume ", id, " is ", volume->Text("status"), ", not available"));
    }
  }
  return std::nullopt;
}

std::optional<Answer> Nova::CheckQuota(const Call& call, const Value& given) const {
  const Account* account = world_.AccountOf(call.caller);
  if (account == nullptr || account->max_instances < 0) return std::nullopt;
  const Value* count = json::Find(given, {"min_count"});
  const int wanted = count != nullptr && count->IsInt() ? count->GetInt() : 1;
  const auto& rows = Objects("servers").rows();
  const auto used =
      std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.second->project() == call.caller.project_id; });
  if (used + wanted <= account->max_instances) return std::nullopt;
  return Refuse(403, absl::StrCat("Quota exceeded for instances: Requested ", wanted, ", but already used ", used, " of ",
                                  account->max_instances, " instances"));
}

std::optional<Answer> Nova::CheckNetworks(const Call& call, const Value& given, NewServer& server) {
  const Value* networks = json::Find(given, {"networks"});
  if (networks == nullptr && call.microversion >= 37) {
    return Refuse(400, "Invalid input for field/attribute server. 'networks' is a required property");
  }
  if (networks == nullptr || json::String(*networks) == "auto") {
    const std::vector<const Object*> own = neutron_.OwnNetworks(call);
    if (own.size() > 1) return Refuse(409, "Multiple possible networks found, use a Network ID to be more specific.");
    if (!own.empty()) server.wanted.push_back({.network = own.front()->id()});
    return std::nullopt;
  }
  for (const Value& item : json::Array(*networks)) {
    const absl::string_view port_id = json::String(item, {"port"});
    if (!port_id.empty()) {
      const Object* port = neutron_.FindPort(call, port_id);
      if (port == nullptr) return Refuse(400, absl::StrCat("Port ", port_id, " could not be found."));
      if (!port->Text("device_id").empty()) return Refuse(409, absl::StrCat("Port ", port_id, " is still in use."));
      server.given_ports.emplace_back(port_id);
      continue;
    }
    const std::string id(json::String(item, {"uuid"}));
    const Object* network = neutron_.FindNetwork(call, id);
    if (network == nullptr) return Refuse(400, absl::StrCat("Network ", id, " could not be found."));
    if (json::Array(network->body(), {"subnets"}).Empty()) {
      return Refuse(400, absl::StrCat("Network ", id, " requires a subnet in order to boot instances on."));
    }
    server.wanted.push_back({.network = id, .fixed_ip = std::string(json::String(item, {"fixed_ip"}))});
  }
  return std::nullopt;
}

}  // namespace kupen::simulator
