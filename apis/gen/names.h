// How things are called in Kubernetes.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace kupen::apis {

// The name of a field in a CRD: network_id → networkID, dns_nameservers → dnsNameservers, fixed_ip → fixedIP. Abbreviations are
// in one case, as Kubernetes' API conventions ask.
std::string JsonName(absl::string_view field);

// KeyPair → key_pair
std::string SnakeName(absl::string_view kind);

// Names that the C++ classes that protoc makes have already: they would not compile.
bool IsReservedName(absl::string_view field);

}  // namespace kupen::apis
