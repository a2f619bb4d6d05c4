#include "provider/http/address_rules.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "provider/base/status.h"

namespace kupen::http {
namespace {

using Bytes = AddressRange::Bytes;

constexpr int kBits = 128;
constexpr int kBitsBeforeV4 = 96;
constexpr size_t kBytesBeforeV4 = 12;

struct NeverReached {
  const char* range;
  const char* what;
};
constexpr std::array kNeverReached = {
    // Linux takes 0.0.0.0 for this machine.
    NeverReached{"0.0.0.0/8", "unspecified"},     NeverReached{"127.0.0.0/8", "loopback"},
    NeverReached{"169.254.0.0/16", "link-local"}, NeverReached{"224.0.0.0/4", "multicast"},
    NeverReached{"240.0.0.0/4", "reserved"},      NeverReached{"::/128", "unspecified"},
    NeverReached{"::1/128", "loopback"},          NeverReached{"fe80::/10", "link-local"},
    NeverReached{"ff00::/8", "multicast"},
};

// IPv6 prefixes that a translator takes for an IPv4 address in the last four bytes: IPv4-compatible and NAT64.
constexpr std::array<uint8_t, kBytesBeforeV4> kCompatible = {};
constexpr std::array<uint8_t, kBytesBeforeV4> kNat64 = {0, 0x64, 0xff, 0x9b};
constexpr std::array<uint8_t, kBytesBeforeV4> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

void SetMappedPrefix(Bytes& address) { std::copy(kMapped.begin(), kMapped.end(), address.begin()); }

// An interface's name ("fe80::1%eth0") says where an address is reached, not which one it is.
std::optional<Bytes> ParseAddress(absl::string_view text) {
  const std::string address(text.substr(0, text.find('%')));
  Bytes bytes = {};
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) return bytes;
  if (inet_pton(AF_INET, address.c_str(), bytes.data() + kBytesBeforeV4) != 1) return std::nullopt;
  SetMappedPrefix(bytes);
  return bytes;
}

bool StartsWith(const Bytes& address, const std::array<uint8_t, kBytesBeforeV4>& prefix) {
  return std::equal(prefix.begin(), prefix.end(), address.begin());
}

// The address as it is, or the IPv4 address that it stands for.
Bytes Meant(Bytes address) {
  const bool compatible = StartsWith(address, kCompatible) && address[kBytesBeforeV4] != 0;
  if (compatible || StartsWith(address, kNat64)) SetMappedPrefix(address);
  return address;
}

}  // namespace

absl::StatusOr<AddressRange> AddressRange::Parse(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('/', 1));
  const std::optional<Bytes> first = ParseAddress(parts.first);
  const bool v4 = !absl::StrContains(parts.first, ':');
  const int bits = v4 ? kBits - kBitsBeforeV4 : kBits;
  int prefix = bits;
  if (!first.has_value() || (absl::StrContains(text, '/') && !absl::SimpleAtoi(parts.second, &prefix)) || prefix < 0 ||
      prefix > bits) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\" is no range of addresses; it looks like 10.96.0.0/12, fd00::/8 or 192.0.2.7"));
  }
  return AddressRange{.text = std::string(text), .first = *first, .prefix = v4 ? prefix + kBitsBeforeV4 : prefix};
}

bool AddressRange::Contains(const Bytes& address) const {
  for (int bit = 0; bit < prefix; bit += 8) {
    const int ignored = std::max(0, bit + 8 - prefix);
    const auto byte = static_cast<size_t>(bit / 8);
    if ((address[byte] ^ first[byte]) >> ignored != 0) return false;
  }
  return true;
}

absl::StatusOr<std::vector<std::string>> LookUpAddresses(const std::string& host) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0) {
    return absl::UnavailableError(absl::StrCat("the host's name can't be resolved: ", gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* next = found; next != nullptr; next = next->ai_next) {
    std::array<char, NI_MAXHOST> text = {};
    if (getnameinfo(next->ai_addr, next->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text.data());
    }
  }
  return addresses;
}

absl::StatusOr<AddressRules> AddressRules::Create(const AddressRulesOptions& options) {
  AddressRules rules;
  rules.lookup_ = options.lookup;
  for (const std::string& text : options.allowed) {
    absl::StatusOr<AddressRange> range = AddressRange::Parse(text);
    if (!range.ok()) return Annotate(range.status(), "--allow-address");
    rules.allowed_.push_back(*std::move(range));
  }
  for (const auto& [text, what] : kNeverReached) {
    ASSIGN_OR_RETURN(AddressRange range, AddressRange::Parse(text));
    rules.denied_.push_back({.range = std::move(range), .why = absl::StrCat("is ", what)});
  }
  for (const std::string& text : options.denied) {
    absl::StatusOr<AddressRange> range = AddressRange::Parse(text);
    if (!range.ok()) return Annotate(range.status(), "--deny-address");
    rules.denied_.push_back({.range = *std::move(range), .why = absl::StrCat("is in ", text, ", which is denied")});
  }
  return rules;
}

absl::Status AddressRules::Check(absl::string_view host, absl::string_view address) const {
  const std::optional<Bytes> parsed = ParseAddress(address);
  if (!parsed.has_value()) return absl::InternalError(absl::StrCat("\"", address, "\" is no address"));
  const Bytes bytes = Meant(*parsed);
  const auto contains = [&bytes](const AddressRange& range) { return range.Contains(bytes); };
  if (std::any_of(allowed_.begin(), allowed_.end(), contains)) return absl::OkStatus();
  const auto denied = std::find_if(denied_.begin(), denied_.end(), [&](const Denied& rule) { return contains(rule.range); });
  if (denied == denied_.end()) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("the address ", address, " of host ", host, " ", denied->why,
                                                  ": not to be reached by a user's URL, unless the provider runs with ",
                                                  "--allow-address=", denied->range.text));
}

absl::StatusOr<std::vector<std::string>> AddressRules::Resolve(const std::string& host) const {
  ASSIGN_OR_RETURN(const std::vector<std::string> all, lookup_(host));
  if (all.empty()) return absl::UnavailableError("the host's name has no address");
  std::vector<std::string> good;
  good.reserve(all.size());
  for (const std::string& address : all) {
    if (Check(host, address).ok()) good.push_back(address);
  }
  if (good.empty()) return Check(host, all.front());
  return good;
}

}  // namespace kupen::http
