// Neutron's resources as tables: what each attribute is, who may write it and when. Another resource is another table.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace kupen::simulator {

enum class AttributeType : uint8_t { kAny, kString, kBool, kInt, kList };

// What may be done with an attribute, as bits.
enum AttributeUse : uint8_t {
  kShow = 0,        // only read
  kPost = 1,        // at creation
  kPut = 2,         // later
  kAdminWrite = 4,  // by administrators only
  kAdminRead = 8,
  kRequired = 16,
  kHidden = 32,      // taken, but never shown
  kUnfiltered = 64,  // lists cannot be filtered by it
};

struct Attribute {
  absl::string_view name;
  AttributeType type;
  uint8_t use;
  // What it is if nothing else is said, as JSON; empty if the rules set it.
  absl::string_view fallback;

  bool Is(AttributeUse wanted) const { return (use & wanted) != 0; }
};

struct NeutronResource {
  // "network", "networks", and in errors "NetworkNotFound" and "Network … could not be found."
  absl::string_view name;
  absl::string_view collection;
  absl::string_view not_found_type;
  absl::string_view not_found_format;
  std::vector<Attribute> attributes;

  // Null if there is none.
  const Attribute* Find(absl::string_view attribute) const;
};

const NeutronResource& NetworkResource();
const NeutronResource& SubnetResource();
const NeutronResource& PortResource();
const NeutronResource& SecurityGroupResource();
const NeutronResource& SubnetPoolResource();
const NeutronResource& QosPolicyResource();

}  // namespace kupen::simulator
