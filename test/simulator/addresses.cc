#include "test/simulator/addresses.h"

#include <arpa/inet.h>

#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace kupen::simulator {
namespace {

size_t BytesOf(int version) { return version == 4 ? 4 : 16; }
int FamilyOf(int version) { return version == 4 ? AF_INET : AF_INET6; }

}  // namespace

std::optional<IpNumber> ParseIp(absl::string_view text, int version) {
  std::array<unsigned char, 16> bytes = {};
  if (inet_pton(FamilyOf(version), std::string(text).c_str(), bytes.data()) != 1) return std::nullopt;
  IpNumber address = 0;
  for (size_t i = 0; i < BytesOf(version); ++i) address = (address << 8) | bytes[i];
  return address;
}

std::optional<IpNetwork> ParseCidr(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('/', 1));
  const int version = absl::StrContains(parts.first, ':') ? 6 : 4;
  const std::optional<IpNumber> address = ParseIp(parts.first, version);
  const int bits = static_cast<int>(BytesOf(version)) * 8;
  int prefix = 0;
  if (!address.has_value() || !absl::SimpleAtoi(parts.second, &prefix) || prefix < 0 || prefix > bits) return std::nullopt;
  const IpNumber hosts = prefix == 0 ? ~IpNumber{0} : (IpNumber{1} << (bits - prefix)) - 1;
  return IpNetwork{.version = version, .first = *address & ~hosts, .last = *address | hosts};
}

std::string IpText(IpNumber address, int version) {
  std::array<unsigned char, 16> bytes = {};
  for (size_t i = BytesOf(version); i-- > 0; address >>= 8) bytes[i] = static_cast<unsigned char>(address & 0xFF);
  std::array<char, INET6_ADDRSTRLEN> text = {};
  inet_ntop(FamilyOf(version), bytes.data(), text.data(), text.size());
  return text.data();
}

}  // namespace kupen::simulator
