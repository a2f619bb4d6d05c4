#include "provider/kinds/compute/virtual_machine.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/openstack/microversion.h"
#include "provider/openstack/session.h"

namespace kupen::kinds {
namespace {

using rapidjson::StringRef;
using rapidjson::Value;

constexpr openstack::Microversion kVolumeTypeSince = {2, 67};
// Nova's limits: of user data as base64, and thus of what it encodes.
constexpr size_t kMaxEncoded = 65'535;
constexpr size_t kMaxUserData = kMaxEncoded / 4 * 3;
// Of status.atProvider.
constexpr size_t kMaxListed = 32;

constexpr char kAddresses[] = "addresses";
constexpr char kVolumesAttached[] = "os-extended-volumes:volumes_attached";

// In the order of the list: it is that of the machine's interfaces.
void AddNetworks(const Value& parameters, Value& server, schema::Allocator& allocator) {
  const auto wanted = json::Array(parameters, {"networks"});
  if (wanted.Empty()) {
    server.AddMember("networks", "auto", allocator);
    return;
  }
  Value networks(rapidjson::kArrayType);
  for (const Value& interface : wanted) {
    Value network(rapidjson::kObjectType);
    for (const auto& [ours, novas] : {std::pair("portID", "port"), {"networkID", "uuid"}, {"fixedIP", "fixed_ip"}}) {
      const absl::string_view value = json::String(interface, {ours});
      if (!value.empty()) network.AddMember(StringRef(novas), json::Text(value, allocator), allocator);
    }
    networks.PushBack(network, allocator);
  }
  server.AddMember("networks", networks, allocator);
}

void AddSecurityGroups(const Value& parameters, Value& server, schema::Allocator& allocator) {
  Value groups(rapidjson::kArrayType);
  for (const Value& id : json::Array(parameters, {"securityGroupIDs"})) {
    Value group(rapidjson::kObjectType);
    // Nova's "name" is also an id, and names are not unique.
    group.AddMember("name", json::Text(json::String(id), allocator), allocator);
    groups.PushBack(group, allocator);
  }
  if (!groups.Empty()) server.AddMember("security_groups", groups, allocator);
}

// Where the kind's range of microversions ends in this cloud, as the session will choose it.
absl::StatusOr<openstack::Microversion> HighestMicroversion(openstack::Session& session, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const openstack::MicroversionRange served, session.ServedMicroversions("compute", stop));
  const auto settings = session.cloud().services.find("compute");
  if (settings == session.cloud().services.end() || settings->second.microversion.empty()) return served.max;
  ASSIGN_OR_RETURN(const openstack::Microversion limit, openstack::ParseMicroversion(settings->second.microversion));
  return std::min(served.max, limit);
}

absl::Status AddVolumeType(const managed::HookContext& context, const Value& boot_volume, Value& device,
                           schema::Allocator& allocator) {
  const absl::string_view type = json::String(boot_volume, {"volumeTypeID"});
  if (type.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const openstack::Microversion highest, HighestMicroversion(*context.session, context.stop));
  if (highest < kVolumeTypeSince) {
    return absl::FailedPreconditionError(absl::StrCat(
        "bootVolume.volumeTypeID needs microversion ", openstack::ToString(kVolumeTypeSince), " of nova, but this cloud's is ",
        openstack::ToString(highest), ": leave it out, or make the volume first and name it in bootVolume.volumeID"));
  }
  device.AddMember("volume_type", json::Text(type, allocator), allocator);
  return absl::OkStatus();
}

absl::Status AddBootVolume(const managed::HookContext& context, const Value& parameters, Value& server,
                           schema::Allocator& allocator) {
  const Value* boot_volume = json::Find(parameters, {"bootVolume"});
  if (boot_volume == nullptr || json::IsEmpty(*boot_volume)) return absl::OkStatus();
  Value device(rapidjson::kObjectType);
  device.AddMember("boot_index", 0, allocator).AddMember("destination_type", "volume", allocator);
  if (const absl::string_view volume = json::String(*boot_volume, {"volumeID"}); !volume.empty()) {
    device.AddMember("source_type", "volume", allocator).AddMember("uuid", json::Text(volume, allocator), allocator);
  } else {
    const absl::string_view image = json::String(parameters, {"imageID"});
    const Value* size = json::Find(*boot_volume, {"size"});
    if (image.empty() || size == nullptr || !size->IsInt64()) {
      return absl::InvalidArgumentError(
          "bootVolume: a new volume needs a size and an image to make it of (imageID, imageRef, imageSelector or imageName); "
          "an existing one is named by volumeID or volumeName");
    }
    device.AddMember("source_type", "image", allocator).AddMember("uuid", json::Text(image, allocator), allocator);
    device.AddMember("volume_size", size->GetInt64(), allocator);
    RETURN_IF_ERROR(AddVolumeType(context, *boot_volume, device, allocator));
  }
  const Value* delete_it = json::Find(*boot_volume, {"deleteOnTermination"});
  device.AddMember("delete_on_termination", delete_it != nullptr && delete_it->IsTrue(), allocator);
  Value devices(rapidjson::kArrayType);
  devices.PushBack(device, allocator);
  server.AddMember("block_device_mapping_v2", devices, allocator);
  // Beside a volume to start from, Nova would take it for a second disk.
  server.EraseMember("imageRef");
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadUserData(const managed::HookContext& context, const Value& parameters) {
  const std::string secret(json::String(parameters, {"userDataSecretRef", "name"}));
  if (secret.empty()) return std::string(json::String(parameters, {"userData"}));
  absl::StatusOr<std::string> text =
      context.read_secret(secret, std::string(json::String(parameters, {"userDataSecretRef", "key"})));
  if (!text.ok()) return Annotate(text.status(), "userDataSecretRef");
  return text;
}

absl::Status AddUserData(const managed::HookContext& context, const Value& parameters, managed::CreateRequest& request,
                         schema::Allocator& allocator) {
  ASSIGN_OR_RETURN(std::string text, ReadUserData(context, parameters));
  if (text.empty()) return absl::OkStatus();
  const bool from_secret = json::Find(parameters, {"userDataSecretRef"}) != nullptr;
  if (text.size() > kMaxUserData) {
    return absl::InvalidArgumentError(absl::StrCat(from_secret ? "userDataSecretRef" : "userData", " has ", text.size(),
                                                   " bytes, but nova takes at most ", kMaxUserData,
                                                   ": let the machine fetch the rest by itself (#include in cloud-init)"));
  }
  const std::string encoded = absl::Base64Escape(text);
  request.object.AddMember("user_data", json::Text(encoded, allocator), allocator);
  request.secrets.push_back(std::move(text));
  request.secrets.push_back(encoded);
  return absl::OkStatus();
}

void AddSchedulerHints(const Value& parameters, Value& beside, schema::Allocator& allocator) {
  const absl::string_view group = json::String(parameters, {"serverGroupID"});
  if (group.empty()) return;
  Value hints(rapidjson::kObjectType);
  hints.AddMember("group", json::Text(group, allocator), allocator);
  beside.AddMember("os:scheduler_hints", hints, allocator);
}

struct StateWord {
  absl::string_view status;
  const char* word;
};
constexpr std::array kStateWords = {
    StateWord{"ACTIVE", "Running"},
    StateWord{"BUILD", "Building"},
    StateWord{"DELETED", "Deleted"},
    StateWord{"ERROR", "Failed"},
    StateWord{"HARD_REBOOT", "Rebooting"},
    StateWord{"MIGRATING", "Migrating"},
    StateWord{"PASSWORD", "Running"},
    StateWord{"PAUSED", "Paused"},
    StateWord{"REBOOT", "Rebooting"},
    StateWord{"REBUILD", "Rebuilding"},
    StateWord{"RESCUE", "Rescued"},
    StateWord{"RESIZE", "Resizing"},
    StateWord{"REVERT_RESIZE", "Resizing"},
    StateWord{"SHELVED", "Shelved"},
    StateWord{"SHELVED_OFFLOADED", "Shelved"},
    StateWord{"SHUTOFF", "Stopped"},
    StateWord{"SOFT_DELETED", "Deleted"},
    StateWord{"SUSPENDED", "Suspended"},
    // Runs with its new size, and waits for somebody to confirm it.
    StateWord{"VERIFY_RESIZE", "Resized"},
};

const char* StateOf(absl::string_view status) {
  const auto* const found =
      std::find_if(kStateWords.begin(), kStateWords.end(), [status](const StateWord& state) { return state.status == status; });
  return found == kStateWords.end() ? "Unknown" : found->word;
}

struct MachineAddress {
  absl::string_view network;
  bool floating;
  int64_t version;
  absl::string_view ip;
  absl::string_view mac;
};

// By network, and there the fixed ones first: Nova's own order differs from one answer to the next.
std::vector<MachineAddress> AddressesOf(const Value& object) {
  std::vector<MachineAddress> addresses;
  const Value* networks = json::Find(object, {kAddresses});
  if (networks == nullptr || !networks->IsObject()) return addresses;
  for (const auto& network : networks->GetObject()) {
    for (const Value& address : json::Array(network.value)) {
      const Value* version = json::Find(address, {"version"});
      addresses.push_back({.network = json::String(network.name),
                           .floating = json::String(address, {"OS-EXT-IPS:type"}) == "floating",
                           .version = version != nullptr && version->IsInt64() ? version->GetInt64() : 0,
                           .ip = json::String(address, {"addr"}),
                           .mac = json::String(address, {"OS-EXT-IPS-MAC:mac_addr"})});
    }
  }
  std::sort(addresses.begin(), addresses.end(), [](const MachineAddress& a, const MachineAddress& b) {
    return std::tie(a.network, a.floating, a.version, a.ip) < std::tie(b.network, b.floating, b.version, b.ip);
  });
  if (addresses.size() > kMaxListed) addresses.resize(kMaxListed);
  return addresses;
}

Value AddressList(const std::vector<MachineAddress>& addresses, schema::Allocator& allocator) {
  Value list(rapidjson::kArrayType);
  for (const MachineAddress& address : addresses) {
    Value item(rapidjson::kObjectType);
    item.AddMember("network", json::Text(address.network, allocator), allocator);
    item.AddMember("ip", json::Text(address.ip, allocator), allocator);
    if (!address.mac.empty()) item.AddMember("mac", json::Text(address.mac, allocator), allocator);
    item.AddMember("type", StringRef(address.floating ? "floating" : "fixed"), allocator);
    list.PushBack(item, allocator);
  }
  return list;
}

// blue(10.10.0.7,203.0.113.5) green(10.20.0.4)
std::string NetworksLine(const std::vector<MachineAddress>& addresses) {
  std::string line;
  absl::string_view network;
  for (const MachineAddress& address : addresses) {
    if (!line.empty() && address.network == network) {
      absl::StrAppend(&line, ",", address.ip);
    } else {
      absl::StrAppend(&line, line.empty() ? "" : ") ", address.network, "(", address.ip);
    }
    network = address.network;
  }
  return line.empty() ? line : line + ")";
}

Value VolumeIds(const Value& object, schema::Allocator& allocator) {
  std::vector<absl::string_view> ids;
  for (const Value& volume : json::Array(object, {kVolumesAttached})) ids.push_back(json::String(volume, {"id"}));
  std::sort(ids.begin(), ids.end());
  if (ids.size() > kMaxListed) ids.resize(kMaxListed);
  Value list(rapidjson::kArrayType);
  for (const absl::string_view id : ids) list.PushBack(json::Text(id, allocator), allocator);
  return list;
}

}  // namespace

std::vector<std::string> VirtualMachineHooks::Fields() const { return {kAddresses, kVolumesAttached}; }

absl::Status VirtualMachineHooks::PrepareCreate(const managed::HookContext& context, const Value& parameters,
                                                managed::CreateRequest& request, schema::Allocator& allocator) const {
  AddNetworks(parameters, request.object, allocator);
  AddSecurityGroups(parameters, request.object, allocator);
  AddSchedulerHints(parameters, request.beside, allocator);
  RETURN_IF_ERROR(AddBootVolume(context, parameters, request.object, allocator));
  return AddUserData(context, parameters, request, allocator);
}

void VirtualMachineHooks::Observe(const Value& object, Value& observation, schema::Allocator& allocator) const {
  observation.AddMember("state", StringRef(StateOf(json::String(object, {"status"}))), allocator);
  const std::vector<MachineAddress> addresses = AddressesOf(object);
  if (!addresses.empty()) {
    observation.AddMember("networks", json::Text(NetworksLine(addresses), allocator), allocator);
    observation.AddMember("addresses", AddressList(addresses, allocator), allocator);
  }
  if (Value volumes = VolumeIds(object, allocator); !volumes.Empty()) observation.AddMember("volumeIDs", volumes, allocator);
}

std::string VirtualMachineHooks::Address(const Value& object) const {
  const std::vector<MachineAddress> addresses = AddressesOf(object);
  if (addresses.empty()) return "";
  const auto floating =
      std::find_if(addresses.begin(), addresses.end(), [](const MachineAddress& address) { return address.floating; });
  return std::string(floating == addresses.end() ? addresses.front().ip : floating->ip);
}

}  // namespace kupen::kinds
