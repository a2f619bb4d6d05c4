// The log of the process: one line per entry on standard error.
//
//   log::Info("watching", {{"kind", "network.Network"}, {"objects", store.size()}});
//   log::Warning("watch failed", {{"kind", kind}, {"error", status}});
//
//   2026-11-16T16:02:03.123Z warning watch failed kind=network.Network error="UNAVAILABLE: 10.96.0.1:443: refused"
//
// Bodies of requests, Secrets and tokens never go here; errors of kube and openstack are free of them by contract.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace kupen::log {

enum class Level : uint8_t { kDebug, kInfo, kWarning, kError };

// One key=value pair.
struct Field {
  Field(absl::string_view field_key, const absl::AlphaNum& field_value) : key(field_key), value(field_value.Piece()) {}
  Field(absl::string_view field_key, const absl::Status& status) : key(field_key), value(status.ToString()) {}
  Field(absl::string_view field_key, absl::Duration duration) : key(field_key), value(absl::FormatDuration(duration)) {}

  absl::string_view key;
  std::string value;
};
using Fields = std::initializer_list<Field>;

// Entries below it are left out. kInfo at first.
void SetLevel(Level level);

void Write(Level level, absl::string_view message, Fields fields = {});
inline void Debug(absl::string_view message, Fields fields = {}) { Write(Level::kDebug, message, fields); }
inline void Info(absl::string_view message, Fields fields = {}) { Write(Level::kInfo, message, fields); }
inline void Warning(absl::string_view message, Fields fields = {}) { Write(Level::kWarning, message, fields); }
inline void Error(absl::string_view message, Fields fields = {}) { Write(Level::kError, message, fields); }

// The line without time and level. A value that is not one plain word is quoted; control characters are escaped, so that no
// text that comes from outside can begin a line of its own.
std::string Format(absl::string_view message, Fields fields);

}  // namespace kupen::log
