// Subnet pools: where a subnet gets its range that names none.
#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "provider/json/json.h"
#include "test/simulator/neutron.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

std::string CidrText(IpNumber first, int version, int64_t length) { return absl::StrCat(IpText(first, version), "/", length); }

bool IsFree(const IpNetwork& range, const std::vector<IpNetwork>& used) {
  return std::none_of(used.begin(), used.end(), [&](const IpNetwork& one) { return one.Overlaps(range); });
}

// The lowest free range of that length; nothing if there is none.
std::string FindFree(const IpNetwork& prefix, int64_t length, const std::vector<IpNetwork>& used) {
  const int bits = prefix.version == 4 ? 32 : 128;
  if (length < 0 || length > bits) return "";
  const IpNumber size = static_cast<IpNumber>(1) << (bits - length);
  for (IpNumber first = prefix.first; first <= prefix.last && prefix.last - first >= size - 1; first += size) {
    if (IsFree({.version = prefix.version, .first = first, .last = first + size - 1}, used)) {
      return CidrText(first, prefix.version, length);
    }
  }
  return "";
}

}  // namespace

// Those of its subnets.
std::vector<IpNetwork> Neutron::RangesOf(absl::string_view subnet_pool) const {
  std::vector<IpNetwork> ranges;
  for (const auto& [order, subnet] : Objects("subnets").rows()) {
    const auto known = pools_.find(subnet->id());
    if (subnet->Text("subnetpool_id") == subnet_pool && known != pools_.end()) ranges.push_back(known->second.network);
  }
  return ranges;
}

// Neutron shows these numbers as text.
void Neutron::CompleteSubnetPool(Object& pool) {
  for (const absl::string_view name : {"default_prefixlen", "min_prefixlen", "max_prefixlen"}) {
    const Value& value = *json::Find(pool.body(), {name});
    if (value.IsInt64()) pool.Set(name, absl::StrCat(value.GetInt64()));
  }
}

// Of a subnet that is to be of a pool: its range, or that the one that was given is free.
std::optional<Answer> Neutron::TakeRange(const Call& call, const Value& given, std::string& cidr) const {
  const std::string id(json::String(given, {"subnetpool_id"}));
  if (id.empty()) return std::nullopt;
  const Object* pool = FindVisible(call, SubnetPoolResource(), id);
  if (pool == nullptr) return NotFound(SubnetPoolResource(), id);
  const std::vector<IpNetwork> used = RangesOf(id);
  int64_t length = -1;
  if (const Value* asked = json::Find(given, {"prefixlen"}); asked != nullptr && asked->IsInt64()) {
    length = asked->GetInt64();
  } else if (!absl::SimpleAtoi(pool->Text("default_prefixlen"), &length)) {
    length = -1;
  }
  const std::optional<IpNetwork> wanted = ParseCidr(cidr);
  for (const Value& prefix : json::Array(pool->body(), {"prefixes"})) {
    const std::optional<IpNetwork> range = ParseCidr(json::String(prefix));
    if (!range.has_value()) continue;
    if (wanted.has_value() && range->Contains(wanted->first) && range->Contains(wanted->last) && IsFree(*wanted, used)) {
      return std::nullopt;
    }
    if (cidr.empty()) cidr = FindFree(*range, length, used);
    if (!cidr.empty() && !wanted.has_value()) return std::nullopt;
  }
  return Error(500, "SubnetAllocationError",
               "Failed to allocate subnet: Cannot allocate requested subnet from the available set of prefixes.");
}

}  // namespace kupen::simulator
