// The values of the field option `format`: what each asks of a string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace kupen::apis {

struct Format {
  bool openapi = false;      // the API server knows it as an OpenAPI format
  std::string rule = "";     // or this CEL rule checks it
  std::string message = "";  // what the user reads then
  int64_t max_length = 0;    // 0: the field must say
};

// Nothing for a name that is none.
std::optional<Format> FindFormat(absl::string_view name);

// "cidr, date-time, …", for errors.
std::string FormatNames();

}  // namespace kupen::apis
