// Texts of a limited length.
#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"

namespace kupen::schema {

// At most that many bytes of the text, and no half character at their end: a text that is no UTF-8 is refused by the API
// server.
inline absl::string_view Cut(absl::string_view text, size_t length) {
  if (text.size() <= length) return text;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  return text.substr(0, length);
}

}  // namespace kupen::schema
