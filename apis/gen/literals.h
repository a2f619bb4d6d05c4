// JSON text inside a .proto (the option `default`) as a Yaml tree.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "apis/gen/yaml.h"

namespace kupen::apis {

// Strings, booleans, integers, lists and objects; null and fractions are errors.
absl::StatusOr<Yaml> ParseLiteral(absl::string_view json);

}  // namespace kupen::apis
