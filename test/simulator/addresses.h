// IP addresses and networks of both versions, as far as handing them out needs them.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace kupen::simulator {

// Version 4 addresses are in the low 32 bits.
__extension__ typedef unsigned __int128 IpNumber;

struct IpNetwork {
  int version = 4;
  IpNumber first = 0;
  IpNumber last = 0;

  bool Contains(IpNumber address) const { return first <= address && address <= last; }
  bool Overlaps(const IpNetwork& other) const { return version == other.version && first <= other.last && other.first <= last; }
};

// Nothing if the text is none.
std::optional<IpNumber> ParseIp(absl::string_view text, int version);
std::optional<IpNetwork> ParseCidr(absl::string_view text);
std::string IpText(IpNumber address, int version);

}  // namespace kupen::simulator
