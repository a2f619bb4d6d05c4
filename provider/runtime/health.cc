#include "provider/runtime/health.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace kupen::runtime {

absl::Status Heartbeat::Check(absl::Duration limit) const {
  const absl::Duration silence = clock_.Now() - absl::FromUnixMillis(last_);
  if (silence <= limit) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("no progress for ", absl::FormatDuration(absl::Trunc(silence, absl::Seconds(1)))));
}

void Health::Add(std::vector<Named>& checks, absl::string_view name, Check check) {
  const std::lock_guard guard(mutex_);
  checks.push_back({std::string(name), std::move(check)});
}

http::Response Health::Answer(const std::vector<Named>& checks) const {
  const std::lock_guard guard(mutex_);
  std::string problems;
  for (const Named& named : checks) {
    if (const absl::Status status = named.check(); !status.ok()) {
      absl::StrAppend(&problems, named.name, ": ", status.message(), "\n");
    }
  }
  const http::Headers headers = {{"Content-Type", "text/plain; charset=utf-8"}};
  if (problems.empty()) return {.status = 200, .headers = headers, .body = "ok\n"};
  return {.status = 500, .headers = headers, .body = std::move(problems)};
}

}  // namespace kupen::runtime
