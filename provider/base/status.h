// Errors are absl::Status. This adds the two things that every layer needs: context on the way up, and less typing.
//
//   absl::StatusOr<Config> Load(const std::string& path) {
//     ASSIGN_OR_RETURN(std::string text, ReadFile(path));
//     absl::StatusOr<Config> config = Parse(text);
//     if (!config.ok()) return Annotate(config.status(), path);   // "INVALID_ARGUMENT: app.json: line 3: …"
//     return config;
//   }
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kupen {

// The same error, its message preceded by where or while what it happened. Payloads stay. An OK status stays OK.
absl::Status Annotate(const absl::Status& status, absl::string_view context);

}  // namespace kupen

// Both are variadic, for expressions with commas inside braces.
#define RETURN_IF_ERROR(...)                                           \
  if (absl::Status kupen_status = (__VA_ARGS__); !kupen_status.ok()) { \
    return kupen_status;                                               \
  }

#define ASSIGN_OR_RETURN(declaration, ...) KUPEN_ASSIGN_OR_RETURN_(KUPEN_CONCAT_(kupen_or_, __LINE__), declaration, __VA_ARGS__)
#define KUPEN_ASSIGN_OR_RETURN_(holder, declaration, ...) \
  auto holder = (__VA_ARGS__);                            \
  if (!holder.ok()) return std::move(holder).status();    \
  declaration = *std::move(holder)
#define KUPEN_CONCAT_(a, b) KUPEN_CONCAT_INNER_(a, b)
#define KUPEN_CONCAT_INNER_(a, b) a##b
