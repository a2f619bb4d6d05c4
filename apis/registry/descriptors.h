// The descriptors of all kinds, as the generator embeds them into the program.
#pragma once

#include "absl/strings/string_view.h"

namespace kupen::apis {

// A serialized google.protobuf.FileDescriptorSet, without comments.
absl::string_view EmbeddedDescriptors();

}  // namespace kupen::apis
