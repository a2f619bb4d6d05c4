// The ways in which a user may say what a field refers to. One field of the .proto, `network_id` with `refers_to`, is up to
// four members of the CRD:
//
//   networkID: 5f1c…              the id in the cloud
//   networkRef: {name: blue}      an object of this API, in the same namespace
//   networkSelector: {…}          the same, found by its labels
//   networkName: public           something that the cloud has, by its exact name among what the token sees
//
// In a list (`security_group_ids`) they are securityGroupIDs, …Refs, …Selector and …Names, and add up.
#pragma once

#include <google/protobuf/descriptor.h>

#include <optional>
#include <string>
#include <vector>

namespace kupen::apis {

struct ReferenceMembers {
  std::string id;
  std::string ref;       // empty if what it refers to is no kind of this API
  std::string selector;  // empty likewise
  std::string name;      // empty if the id is a name already (key pairs)

  // Those that the CRD has, in the order above.
  std::vector<std::string> all() const;

  bool operator==(const ReferenceMembers&) const = default;
};

// Nothing if the field does not refer to anything, or its name does not end with _id, _ids or _name.
std::optional<ReferenceMembers> ReferenceMembersOf(const google::protobuf::FieldDescriptor& field);

}  // namespace kupen::apis
