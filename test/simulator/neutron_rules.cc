// How networks, subnets, ports and security groups depend on each other.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"
#include "test/simulator/neutron.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

constexpr int kFirstSegment = 100;

Value TextList(const std::vector<std::string>& texts, json::Allocator& allocator) {
  Value list(rapidjson::kArrayType);
  for (const std::string& text : texts) list.PushBack(json::Text(text, allocator), allocator);
  return list;
}

}  // namespace

std::optional<Answer> Neutron::CompleteNetwork(const Call& /*call*/, Object& network) {
  if (json::Find(network.body(), {"provider:segmentation_id"})->IsNull() && network.Text("provider:network_type") != "flat") {
    network.SetInt("provider:segmentation_id", kFirstSegment + ++last_segment_);
  }
  network.SetInt("revision_number", 1);
  return std::nullopt;
}

std::optional<Answer> Neutron::CompleteSubnet(const Call& call, Object& subnet, const Value& given) {
  const auto invalid = [](absl::string_view what) {
    return Error(400, "InvalidInput", absl::StrCat("Invalid input for operation: ", what));
  };
  Object* network = FindVisible(call, NetworkResource(), subnet.Text("network_id"));
  if (network == nullptr) return NotFound(NetworkResource(), subnet.Text("network_id"));
  std::string cidr(json::String(given, {"cidr"}));
  if (std::optional<Answer> wrong = TakeRange(call, given, cidr)) return wrong;
  if (cidr.empty()) {
    return Error(400, "BadRequest", "Bad subnets request: a subnetpool must be specified in the absence of a cidr.");
  }
  const std::optional<IpNetwork> range = ParseCidr(cidr);
  if (!range.has_value()) return invalid(absl::StrCat(cidr, " is not in a CIDR format."));
  if (range->version != json::Find(given, {"ip_version"})->GetInt64()) {
    return invalid(absl::StrCat("cidr ", cidr, " does not match the ip_version."));
  }
  subnet.Set("cidr", cidr);
  for (const Value& id : json::Array(network->body(), {"subnets"})) {
    if (pools_.at(std::string(json::String(id))).network.Overlaps(*range)) {
      return invalid(absl::StrCat("Requested subnet with cidr: ", cidr, " for network: ", network->id(),
                                  " overlaps with another subnet."));
    }
  }
  IpNumber first = range->first + 1;
  const Value* gateway = json::Find(given, {"gateway_ip"});
  if (gateway == nullptr) {
    subnet.Set("gateway_ip", IpText(first, range->version));
    ++first;
  } else if (gateway->IsString() && !ParseIp(json::String(*gateway), range->version).has_value()) {
    return Bad(absl::StrCat("Invalid input for gateway_ip. Reason: '", json::String(*gateway), "' is not a valid IP address."));
  } else if (gateway->IsString() && json::String(*gateway) == IpText(first, range->version)) {
    ++first;
  }
  if (json::Find(given, {"allocation_pools"}) == nullptr) {
    const IpNumber last = range->version == 4 ? range->last - 1 : range->last;
    subnet.SetJson("allocation_pools", absl::StrCat(R"([{"start":")", IpText(first, range->version), R"(","end":")",
                                                    IpText(last, range->version), R"("}])"));
  }
  pools_[subnet.id()] = {.network = *range, .next = first, .taken = {}};
  std::vector<std::string> subnets = {};
  for (const Value& id : json::Array(network->body(), {"subnets"})) subnets.emplace_back(json::String(id));
  subnets.push_back(subnet.id());
  rapidjson::Document scratch;
  network->Set("subnets", TextList(subnets, scratch.GetAllocator()));
  Touch(*network);
  return std::nullopt;
}

std::optional<Answer> Neutron::CompletePort(const Call& call, Object& port, const Value& given) {
  const Object* network = FindVisible(call, NetworkResource(), port.Text("network_id"));
  if (network == nullptr) return NotFound(NetworkResource(), port.Text("network_id"));
  const Value* groups = json::Find(given, {"security_groups"});
  if (groups == nullptr) {
    rapidjson::Document scratch;
    port.Set("security_groups", TextList({DefaultGroup(port.project()).id()}, scratch.GetAllocator()));
  } else {
    for (const Value& id : groups->GetArray()) {
      if (FindVisible(call, SecurityGroupResource(), json::String(id)) == nullptr) {
        return NotFound(SecurityGroupResource(), json::String(id));
      }
    }
  }
  if (json::Find(port.body(), {"mac_address"})->IsNull()) {
    ++last_mac_;
    port.Set("mac_address",
             absl::StrFormat("fa:16:3e:%02x:%02x:%02x", (last_mac_ >> 16) & 0xFF, (last_mac_ >> 8) & 0xFF, last_mac_ & 0xFF));
  }
  const Value none(rapidjson::kArrayType);
  const Value* wanted = json::Find(given, {"fixed_ips"});
  port.SetJson("fixed_ips", "[]");
  if (std::optional<Answer> wrong = ChooseAddresses(port, wanted == nullptr ? none : *wanted)) return wrong;
  ports_on_[network->id()].insert(port.id());
  port.SetInt("revision_number", 1);
  return std::nullopt;
}

std::optional<Answer> Neutron::ChangePort(const Call& call, Object& port, const Value& change) {
  for (const Value& id : json::Array(change, {"security_groups"})) {
    if (FindVisible(call, SecurityGroupResource(), json::String(id)) == nullptr) {
      return NotFound(SecurityGroupResource(), json::String(id));
    }
  }
  if (const Value* wanted = json::Find(change, {"fixed_ips"})) {
    ReleaseAddresses(port);
    if (std::optional<Answer> wrong = ChooseAddresses(port, *wanted)) return wrong;
  }
  for (const auto& member : change.GetObject()) {
    if (json::String(member.name) != "fixed_ips") port.Set(json::String(member.name), member.value);
  }
  return std::nullopt;
}

std::optional<Answer> Neutron::CheckRemoval(const NeutronResource& resource, const Object& object) const {
  if (resource.name == "network") {
    const auto ports = ports_on_.find(object.id());
    if (ports == ports_on_.end() || ports->second.empty()) return std::nullopt;
    return Error(409, "NetworkInUse",
                 absl::StrCat("Unable to complete operation on network ", object.id(),
                              ". There are one or more ports still in use on the network, id for these ports is: ",
                              *ports->second.begin(), "."));
  }
  if (resource.name == "subnet" && !pools_.at(object.id()).taken.empty()) {
    return Error(409, "SubnetInUse",
                 absl::StrCat("Unable to complete operation on subnet ", object.id(),
                              ": One or more ports have an IP allocation from this subnet."));
  }
  if (resource.name == "subnetpool" && !RangesOf(object.id()).empty()) {
    return Error(400, "SubnetPoolDeleteError", "Unable to delete subnet pool: Subnet pool has existing allocations.");
  }
  if (resource.name != "security_group") return std::nullopt;
  const auto default_group = default_groups_.find(object.project());
  if (default_group != default_groups_.end() && default_group->second == object.id()) {
    return Error(409, "SecurityGroupCannotRemoveDefault", "Insufficient rights for removing default security group.");
  }
  for (const auto& [order, port] : Objects("ports").rows()) {
    for (const Value& id : json::Array(port->body(), {"security_groups"})) {
      if (json::String(id) != object.id()) continue;
      return Error(409, "SecurityGroupInUse", absl::StrCat("Security Group ", object.id(), " in use."));
    }
  }
  return std::nullopt;
}

// Removes the object, and what goes with it.
void Neutron::Forget(const NeutronResource& resource, const Object& object) {
  if (resource.name == "network") {
    for (const Value& id : json::Array(object.body(), {"subnets"})) {
      const std::string subnet(json::String(id));
      pools_.erase(subnet);
      Objects("subnets").Remove(subnet);
    }
    ports_on_.erase(object.id());
  }
  if (resource.name == "subnet") {
    pools_.erase(object.id());
    if (Object* network = Objects("networks").Find(object.Text("network_id"))) {
      std::vector<std::string> rest;
      for (const Value& id : json::Array(network->body(), {"subnets"})) {
        if (json::String(id) != object.id()) rest.emplace_back(json::String(id));
      }
      rapidjson::Document scratch;
      network->Set("subnets", TextList(rest, scratch.GetAllocator()));
      Touch(*network);
    }
  }
  if (resource.name == "port") {
    ReleaseAddresses(object);
    ports_on_[std::string(object.Text("network_id"))].erase(object.id());
  }
  Objects(resource.collection).Remove(object.id());
}

// Out is always allowed; within the default group, in as well.
void Neutron::AddRules(Object& group, bool within) {
  std::string rules;
  const std::string own = absl::StrCat("\"", group.id(), "\"");
  for (const auto& [direction, remote] :
       {std::pair<absl::string_view, absl::string_view>{"egress", "null"}, {"ingress", own}}) {
    if (direction == "ingress" && !within) continue;
    for (const absl::string_view type : {"IPv4", "IPv6"}) {
      absl::StrAppend(&rules, rules.empty() ? "" : ",", R"({"id":")", NewUuid(), R"(","tenant_id":")", group.project(),
                      R"(","security_group_id":")", group.id(), R"(","ethertype":")", type, R"(","direction":")", direction,
                      R"(","protocol":null,"port_range_min":null,"port_range_max":null,"remote_ip_prefix":null,)",
                      R"("remote_address_group_id":null,"normalized_cidr":null,"remote_group_id":)", remote,
                      R"(,"standard_attr_id":1,"description":null,"tags":[],"created_at":")", TimeText(group.created),
                      R"(","updated_at":")", TimeText(group.created), R"(","revision_number":0,"project_id":")",
                      group.project(), R"("})");
    }
  }
  group.SetJson("security_group_rules", absl::StrCat("[", rules, "]"));
}

// Neutron makes it when somebody of the project first looks.
const Object& Neutron::DefaultGroup(const std::string& project) {
  const auto known = default_groups_.find(project);
  if (known != default_groups_.end()) return *Objects("security_groups").Find(known->second);
  const auto given = json::Parse(R"({"name":"default","description":"Default security group"})");
  Object& group = Insert(SecurityGroupResource(), project, *given);
  AddRules(group, /*within=*/true);
  default_groups_[project] = group.id();
  return group;
}

const Object* Neutron::FindNetwork(const Call& call, absl::string_view id) const {
  return FindVisible(call, NetworkResource(), id);
}

const Object* Neutron::FindPort(const Call& call, absl::string_view id) const { return FindVisible(call, PortResource(), id); }

const Object* Neutron::FindSecurityGroup(const Call& call, absl::string_view name_or_id) {
  if (name_or_id == "default") return &DefaultGroup(call.caller.project_id);
  if (const Object* group = FindVisible(call, SecurityGroupResource(), name_or_id)) return group;
  for (const auto& [order, group] : Objects("security_groups").rows()) {
    if (group->project() == call.caller.project_id && group->Text("name") == name_or_id) return group.get();
  }
  return nullptr;
}

std::vector<const Object*> Neutron::OwnNetworks(const Call& call) const {
  std::vector<const Object*> networks;
  for (const auto& [order, network] : Objects("networks").rows()) {
    if (network->project() == call.caller.project_id && !network->IsTrue("router:external")) networks.push_back(network.get());
  }
  return networks;
}

std::optional<std::string> Neutron::MakePort(const Call& call, const PortWanted& wanted, std::string& error) {
  rapidjson::Document given(rapidjson::kObjectType);
  json::Allocator& allocator = given.GetAllocator();
  json::Set(given, "network_id", wanted.network, allocator);
  json::Set(given, "device_id", wanted.device, allocator);
  json::Set(given, "device_owner", wanted.owner, allocator);
  if (!wanted.security_groups.empty())
    json::Set(given, "security_groups", TextList(wanted.security_groups, allocator), allocator);
  if (!wanted.fixed_ip.empty()) {
    Value fixed(rapidjson::kObjectType);
    json::Set(fixed, "ip_address", wanted.fixed_ip, allocator);
    Value list(rapidjson::kArrayType);
    list.PushBack(fixed, allocator);
    json::Set(given, "fixed_ips", std::move(list), allocator);
  }
  Object& port = Insert(PortResource(), call.caller.project_id, given);
  if (const std::optional<Answer> wrong = CompletePort(call, port, given)) {
    Objects("ports").Remove(port.id());
    error = wrong->body;
    return std::nullopt;
  }
  return port.id();
}

void Neutron::BindPort(const std::string& id, const std::string& device, const std::string& owner, const std::string& host) {
  Object* port = Objects("ports").Find(id);
  if (port == nullptr) return;
  port->Set("device_id", device);
  port->Set("device_owner", owner);
  port->Set("status", host.empty() ? "DOWN" : "ACTIVE");
  port->Set("binding:host_id", host);
  port->Set("binding:vif_type", host.empty() ? "unbound" : "ovs");
  Touch(*port);
}

void Neutron::UnbindPort(const std::string& port) { BindPort(port, "", "", ""); }

void Neutron::DeletePort(const std::string& port) {
  if (const Object* object = Objects("ports").Find(port)) Forget(PortResource(), *object);
}

void Neutron::Seed(const std::string& admin_project, const std::string& member_project) {
  Call call;
  call.world = &world_;
  call.caller.is_admin = true;
  const auto make = [&](const std::string& project, absl::string_view network, absl::string_view subnet) {
    call.caller.project_id = project;
    Object& made = Insert(NetworkResource(), project, *json::Parse(network));
    CompleteNetwork(call, made);
    rapidjson::Document given = *json::Parse(subnet);
    json::Set(given, "network_id", made.id(), given.GetAllocator());
    CompleteSubnet(call, Insert(SubnetResource(), project, given), given);
  };
  make(
      admin_project,
      R"({"name":"public","router:external":true,"mtu":1500,"provider:network_type":"flat","provider:physical_network":"public"})",
      R"({"name":"public","ip_version":4,"cidr":"198.18.0.0/16","enable_dhcp":false})");
  make(member_project, R"({"name":"private"})", R"({"name":"private","ip_version":4,"cidr":"10.20.0.0/16"})");
}

}  // namespace kupen::simulator
