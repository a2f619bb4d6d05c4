// yaml-cpp, without its exceptions.
//
//   ASSIGN_OR_RETURN(const YAML::Node root, yaml::Load(text));
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "yaml-cpp/yaml.h"

namespace kupen::yaml {

// The error names the line and column, and shows nothing of the text: it may be a secret.
absl::StatusOr<YAML::Node> Load(absl::string_view text);

}  // namespace kupen::yaml
