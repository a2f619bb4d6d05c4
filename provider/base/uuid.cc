#include "provider/base/uuid.h"

#include <sys/random.h>

#include <array>
#include <cstdint>

#include "absl/strings/str_format.h"

namespace kupen {

std::string NewUuid() {
  std::array<uint64_t, 2> random;
  // So few bytes always come at once; before the kernel has any, it waits.
  while (getrandom(random.data(), sizeof(random), 0) != sizeof(random)) {
  }
  const auto [a, b] = random;
  return absl::StrFormat("%08x-%04x-4%03x-%x%03x-%012x", a >> 32, (a >> 16) & 0xFFFF, a & 0xFFF, 8 + (b >> 62),
                         (b >> 48) & 0xFFF, b & 0xFFFF'FFFF'FFFF);
}

}  // namespace kupen
