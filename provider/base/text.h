// Texts that somebody else wrote, made fit for Kubernetes.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace kupen {

// At most that many bytes of the text, and no half character at their end.
absl::string_view Cut(absl::string_view text, size_t length);

// The text with "\uFFFD" for each byte that is no part of UTF-8. The API server stores that in its place: what it has would
// never be what is wanted.
std::string Utf8(absl::string_view text);

}  // namespace kupen
