#include "apis/gen/names.h"

#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace kupen::apis {

std::string JsonName(absl::string_view field) {
  static const std::map<std::string, std::string> kAbbreviations = {
      {"id", "ID"},       {"ids", "IDs"}, {"ip", "IP"},     {"ips", "IPs"}, {"ipv4", "IPv4"}, {"ipv6", "IPv6"},
      {"cidr", "CIDR"},   {"dns", "DNS"}, {"dhcp", "DHCP"}, {"mtu", "MTU"}, {"url", "URL"},   {"uri", "URI"},
      {"mac", "MAC"},     {"qos", "QoS"}, {"vlan", "VLAN"}, {"ram", "RAM"}, {"cpu", "CPU"},   {"vcpu", "VCPU"},
      {"vcpus", "VCPUs"}, {"ca", "CA"},   {"tls", "TLS"},
  };
  std::string name;
  for (const absl::string_view word : absl::StrSplit(field, '_', absl::SkipEmpty())) {
    if (name.empty()) {
      name = std::string(word);
    } else if (const auto found = kAbbreviations.find(std::string(word)); found != kAbbreviations.end()) {
      name += found->second;
    } else {
      absl::StrAppend(&name, std::string(1, absl::ascii_toupper(word[0])), word.substr(1));
    }
  }
  return name;
}

std::string SnakeName(absl::string_view kind) {
  std::string name;
  for (const char c : kind) {
    if (absl::ascii_isupper(c) && !name.empty()) name += '_';
    name += absl::ascii_tolower(c);
  }
  return name;
}

bool IsReservedName(absl::string_view field) {
  static const std::set<absl::string_view> kReserved = {"default_instance", "descriptor", "internal_default_instance",
                                                        "mutable_unknown_fields", "unknown_fields"};
  return kReserved.contains(field);
}

}  // namespace kupen::apis
