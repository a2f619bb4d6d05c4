// The part of check.h that looks at the option `default`.
#pragma once

#include <google/protobuf/descriptor.h>

#include "apis/gen/problems.h"
#include "apis/gen/schema.h"

namespace kupen::apis {

void CheckDefault(const google::protobuf::FieldDescriptor& field, Place place, Problems& problems);

}  // namespace kupen::apis
