// Which addresses ports get.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "provider/json/json.h"
#include "test/simulator/neutron.h"

namespace kupen::simulator {

using rapidjson::Value;

// The lowest that was never given away, in the subnet's pools; then the lowest that is free.
std::optional<IpNumber> Neutron::TakeAddress(const Object& subnet) {
  Pool& pool = pools_.at(subnet.id());
  for (const Value& range : json::Array(subnet.body(), {"allocation_pools"})) {
    const std::optional<IpNumber> start = ParseIp(json::String(range, {"start"}), pool.network.version);
    const std::optional<IpNumber> end = ParseIp(json::String(range, {"end"}), pool.network.version);
    if (!start.has_value() || !end.has_value()) continue;
    for (IpNumber address = std::max(*start, pool.next); address <= *end; ++address) {
      if (!pool.taken.insert(address).second) continue;
      pool.next = address + 1;
      return address;
    }
    for (IpNumber address = *start; address <= *end && address < pool.next; ++address) {
      if (pool.taken.insert(address).second) return address;
    }
  }
  return std::nullopt;
}

void Neutron::ReleaseAddresses(const Object& port) {
  for (const Value& fixed : json::Array(port.body(), {"fixed_ips"})) {
    const auto pool = pools_.find(json::String(fixed, {"subnet_id"}));
    if (pool == pools_.end()) continue;
    if (const auto address = ParseIp(json::String(fixed, {"ip_address"}), pool->second.network.version)) {
      pool->second.taken.erase(*address);
    }
  }
}

// The wanted ones: [{"subnet_id"}, {"ip_address"}, …]; with none, one of each version that the network has.
std::optional<Answer> Neutron::ChooseAddresses(Object& port, const Value& wanted) {
  const Object* network = Objects("networks").Find(port.Text("network_id"));
  const auto subnets = json::Array(network->body(), {"subnets"});
  rapidjson::Document chosen(rapidjson::kArrayType);
  const auto add = [&](const std::string& subnet, IpNumber address) {
    Value fixed(rapidjson::kObjectType);
    json::Set(fixed, "subnet_id", subnet, chosen.GetAllocator());
    json::Set(fixed, "ip_address", IpText(address, pools_.at(subnet).network.version), chosen.GetAllocator());
    chosen.PushBack(fixed, chosen.GetAllocator());
  };
  const auto exhausted = [&] {
    return Error(409, "IpAddressGenerationFailure",
                 absl::StrCat("No more IP addresses available on network ", network->id(), "."));
  };
  std::set<int> versions;
  if (wanted.Empty()) {
    for (const Value& item : subnets) {
      const std::string id(json::String(item));
      if (!versions.insert(pools_.at(id).network.version).second) continue;
      const std::optional<IpNumber> address = TakeAddress(*Objects("subnets").Find(id));
      if (!address.has_value()) return exhausted();
      add(id, *address);
    }
  }
  for (const Value& item : wanted.GetArray()) {
    std::string subnet(json::String(item, {"subnet_id"}));
    const absl::string_view text = json::String(item, {"ip_address"});
    if (subnet.empty()) {
      for (const Value& candidate : subnets) {
        const Pool& pool = pools_.at(std::string(json::String(candidate)));
        const std::optional<IpNumber> address = ParseIp(text, pool.network.version);
        if (address.has_value() && pool.network.Contains(*address)) subnet = std::string(json::String(candidate));
      }
      if (subnet.empty()) {
        return Error(400, "InvalidIpForNetwork",
                     absl::StrCat("IP address ", text,
                                  " is not a valid IP for any of the subnets on "
                                  "the specified network."));
      }
    }
    const auto pool = pools_.find(subnet);
    if (pool == pools_.end()) return NotFound(SubnetResource(), subnet);
    if (text.empty()) {
      const std::optional<IpNumber> address = TakeAddress(*Objects("subnets").Find(subnet));
      if (!address.has_value()) return exhausted();
      add(subnet, *address);
      continue;
    }
    const std::optional<IpNumber> address = ParseIp(text, pool->second.network.version);
    if (!address.has_value() || !pool->second.network.Contains(*address)) {
      return Error(400, "InvalidIpForSubnet",
                   absl::StrCat("IP address ", text, " is not a valid IP for the specified subnet."));
    }
    if (!pool->second.taken.insert(*address).second) {
      return Error(409, "IpAddressAlreadyAllocated",
                   absl::StrCat("IP address ", text, " already allocated in subnet ", subnet));
    }
    add(subnet, *address);
  }
  port.Set("fixed_ips", chosen);
  SetAssignment(port);
  return std::nullopt;
}

void Neutron::SetAssignment(Object& port) {
  rapidjson::Document list(rapidjson::kArrayType);
  for (const Value& fixed : json::Array(port.body(), {"fixed_ips"})) {
    const absl::string_view ip = json::String(fixed, {"ip_address"});
    const std::string host = absl::StrCat("host-", absl::StrReplaceAll(ip, {{".", "-"}, {":", "-"}}));
    Value entry(rapidjson::kObjectType);
    json::Set(entry, "ip_address", ip, list.GetAllocator());
    json::Set(entry, "hostname", host, list.GetAllocator());
    json::Set(entry, "fqdn", absl::StrCat(host, ".openstacklocal."), list.GetAllocator());
    list.PushBack(entry, list.GetAllocator());
  }
  port.Set("dns_assignment", list);
}

}  // namespace kupen::simulator
