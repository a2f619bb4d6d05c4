// The descriptors of the API as C++ source, for apis/registry: comments and positions are left out.
#pragma once

#include <google/protobuf/descriptor.pb.h>

#include <string>

namespace kupen::apis {

std::string EmbedDescriptors(google::protobuf::FileDescriptorSet set);

}  // namespace kupen::apis
