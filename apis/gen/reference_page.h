// The reference page of a service: its kinds, what each field means, and an example.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "apis/model/kinds.h"

namespace kupen::apis {

struct ReferenceEntry {
  const Kind* kind;
  std::string example_path;
  std::string example;
};

// Markdown.
std::string ReferencePage(absl::string_view title, const std::vector<ReferenceEntry>& entries);

}  // namespace kupen::apis
