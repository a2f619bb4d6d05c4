#include "apis/registry/registry.h"

#include <cstdlib>

#include "apis/registry/descriptors.h"

namespace kupen::apis {

const Kinds& Registry() {
  static const Kinds* const kKinds = [] {
    google::protobuf::FileDescriptorSet set;
    const absl::string_view bytes = EmbeddedDescriptors();
    // What the generator has checked and embedded parses and links: anything else is a broken build, not an error to handle.
    if (!set.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) std::abort();
    return new Kinds(Kinds::Load(set).value());
  }();
  return *kKinds;
}

}  // namespace kupen::apis
