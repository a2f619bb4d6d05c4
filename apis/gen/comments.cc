#include "apis/gen/comments.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"

namespace kupen::apis {

std::string CommentText(absl::string_view comment) {
  std::string text;
  bool paragraph = false;
  for (absl::string_view line : absl::StrSplit(comment, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty()) {
      paragraph = !text.empty();
      continue;
    }
    if (!text.empty()) text += paragraph ? "\n" : " ";
    paragraph = false;
    absl::StrAppend(&text, line);
  }
  return text;
}

}  // namespace kupen::apis
