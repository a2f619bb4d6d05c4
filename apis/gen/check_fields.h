// The part of check.h that looks at fields.
#pragma once

#include <google/protobuf/descriptor.h>

#include "apis/gen/problems.h"
#include "apis/gen/schema.h"
#include "apis/model/kinds.h"

namespace kupen::apis {

// All fields of a message and of the messages inside it. `place` is kForProvider, kAtProvider, kSpec or kStatus.
void CheckFields(const Kinds& kinds, const google::protobuf::Descriptor& message, Place place, Problems& problems);

}  // namespace kupen::apis
