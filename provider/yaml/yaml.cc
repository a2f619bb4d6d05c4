#include "provider/yaml/yaml.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace kupen::yaml {

absl::StatusOr<YAML::Node> Load(absl::string_view text) {
  try {
    return YAML::Load(std::string(text));
  } catch (const YAML::Exception& error) {
    // Its message may end in a piece of the text (": x").
    const std::string what = error.msg.substr(0, error.msg.find(':'));
    return absl::InvalidArgumentError(
        absl::StrCat("not YAML: line ", error.mark.line + 1, ", column ", error.mark.column + 1, ": ", what));
  }
}

}  // namespace kupen::yaml
