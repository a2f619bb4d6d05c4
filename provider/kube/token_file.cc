#include "provider/kube/token_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace kupen::kube {
namespace {

bool Same(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // An empty file inserts nothing, which counts as a failure of the output.
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || !text) return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  return text.str();
}

absl::StatusOr<std::string> TokenFile::Token() {
  const std::lock_guard guard(mutex_);
  struct stat now = {};
  if (stat(path_.c_str(), &now) == 0 && !token_.empty() && Same(now, seen_)) return token_;
  const absl::StatusOr<std::string> text = ReadFile(path_);
  const std::string token = text.ok() ? std::string(absl::StripAsciiWhitespace(*text)) : "";
  if (!token.empty()) {
    token_ = token;
    seen_ = now;
  }
  if (!token_.empty()) return token_;
  return text.ok() ? absl::NotFoundError(absl::StrCat(path_, ": no token in it")) : text.status();
}

}  // namespace kupen::kube
