// Cuts a stream of bytes into lines, of which it keeps one at most.
//
// Thread safety: one thread at a time.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace kupen::kube {

class LineSplitter {
 public:
  explicit LineSplitter(size_t max_line) : max_line_(max_line) {}

  // Gives each line that the piece completes, without its end; empty lines are left out. Stops at the first error, which is
  // the taker's or RESOURCE_EXHAUSTED for a line that is too long.
  absl::Status Feed(absl::string_view piece, absl::FunctionRef<absl::Status(absl::string_view line)> take);

 private:
  const size_t max_line_;
  std::string begun_;
};

}  // namespace kupen::kube
