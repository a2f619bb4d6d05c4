// What the author of a .proto wrote, and where: descriptions and positions of errors come from protoc's source information.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace kupen::apis {

// Comment lines as text: lines of a paragraph are joined, an empty line starts another one (one line feed).
std::string CommentText(absl::string_view comment);

// The comment above a message or field; empty if there is none.
template <typename Descriptor>
std::string Description(const Descriptor& descriptor) {
  google::protobuf::SourceLocation location;
  return descriptor.GetSourceLocation(&location) ? CommentText(location.leading_comments) : "";
}

// file:line of a message or field, for errors.
template <typename Descriptor>
std::string Position(const Descriptor& descriptor) {
  google::protobuf::SourceLocation location;
  const int line = descriptor.GetSourceLocation(&location) ? location.start_line + 1 : 1;
  return absl::StrCat(descriptor.file()->name(), ":", line);
}

}  // namespace kupen::apis
