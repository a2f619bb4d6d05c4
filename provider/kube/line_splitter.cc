#include "provider/kube/line_splitter.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "provider/base/status.h"

namespace kupen::kube {

absl::Status LineSplitter::Feed(absl::string_view piece, absl::FunctionRef<absl::Status(absl::string_view line)> take) {
  while (!piece.empty()) {
    const size_t end = piece.find('\n');
    const absl::string_view part = piece.substr(0, end);
    if (begun_.size() + part.size() > max_line_) {
      return absl::ResourceExhaustedError(absl::StrCat("a line of more than ", max_line_, " bytes"));
    }
    if (end == absl::string_view::npos) {
      begun_.append(part.data(), part.size());
      return absl::OkStatus();
    }
    // Most lines come whole: they need no copy.
    std::string line;
    line.swap(begun_);
    if (!line.empty()) line.append(part.data(), part.size());
    const absl::string_view whole = absl::StripSuffix(line.empty() ? part : absl::string_view(line), "\r");
    if (!whole.empty()) RETURN_IF_ERROR(take(whole));
    piece.remove_prefix(end + 1);
  }
  return absl::OkStatus();
}

}  // namespace kupen::kube
