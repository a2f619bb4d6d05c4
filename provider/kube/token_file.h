// A bearer token that lives in a file: the kubelet replaces it long before it expires.
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <sys/stat.h>

#include <mutex>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace kupen::kube {

absl::StatusOr<std::string> ReadFile(const std::string& path);

class TokenFile {
 public:
  explicit TokenFile(std::string path) : path_(std::move(path)) {}

  // Looks at the file's times and number each time, and reads it when they changed. While the file can't be read the last token
  // serves on: it may still be good.
  absl::StatusOr<std::string> Token();

 private:
  const std::string path_;
  std::mutex mutex_;
  struct stat seen_ = {};
  std::string token_;
};

}  // namespace kupen::kube
