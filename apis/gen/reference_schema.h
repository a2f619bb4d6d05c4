// What a referring field adds to the CRD besides its id: Ref, Selector, Name, and the rule that they are not given together.
#pragma once

#include <google/protobuf/descriptor.h>

#include "apis/gen/yaml.h"
#include "apis/model/references.h"

namespace kupen::apis {

// `brief` leaves the descriptions out.
void AddReferenceMembers(const google::protobuf::FieldDescriptor& field, const ReferenceMembers& members, bool brief,
                         Yaml& properties, Yaml& rules);

}  // namespace kupen::apis
