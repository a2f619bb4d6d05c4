// Problems of .proto files, with their positions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "apis/gen/comments.h"

namespace kupen::apis {

class Problems {
 public:
  // `what` is wrong with the message or field; `allowed` says what would be right.
  template <typename Descriptor>
  void Add(const Descriptor& descriptor, absl::string_view what, absl::string_view allowed) {
    found_.push_back(absl::StrCat(Position(descriptor), ": ", descriptor.name(), ": ", what, "; ", allowed));
  }

  std::vector<std::string> Take() { return std::move(found_); }

 private:
  std::vector<std::string> found_;
};

}  // namespace kupen::apis
