#include "provider/base/text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace kupen {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

unsigned char Byte(absl::string_view text, size_t at) { return static_cast<unsigned char>(text[at]); }

bool Continues(absl::string_view text, size_t at) { return (Byte(text, at) & 0xC0U) == 0x80U; }

// How many bytes the character at the start of the text should have by its first one; 0 if none begins like this.
size_t LengthByFirst(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

// The same, of a whole character; 0 if it is none.
size_t CharacterLength(absl::string_view text) {
  const unsigned char first = Byte(text, 0);
  const size_t length = LengthByFirst(first);
  if (length <= 1) return length;
  if (text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!Continues(text, i)) return 0;
  }
  const unsigned char second = Byte(text, 1);
  // Longer than need be, halves of a pair (as in UTF-16), or beyond the last character.
  const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
                     (first == 0xF4 && second > 0x8F);
  return wrong ? 0 : length;
}

}  // namespace

absl::string_view Cut(absl::string_view text, size_t length) {
  if (text.size() <= length) return text;
  while (length > 0 && Continues(text, length)) --length;
  return text.substr(0, length);
}

std::string Utf8(absl::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    absl::StrAppend(&valid, length == 0 ? kReplacement : text.substr(0, length));
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return valid;
}

}  // namespace kupen
