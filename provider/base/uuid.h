// Ids that nobody else has.
#pragma once

#include <string>

namespace kupen {

// A random UUID (RFC 4122, version 4), from the kernel's random numbers.
std::string NewUuid();

}  // namespace kupen
