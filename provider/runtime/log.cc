#include "provider/runtime/log.h"

#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace kupen::log {
namespace {

spdlog::level::level_enum LevelOf(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

spdlog::logger& Logger() {
  // Never destroyed: threads may log until the very end.
  static spdlog::logger* const kLogger = [] {
    auto* made = new spdlog::logger("provider", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_formatter(
        std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc));
    return made;
  }();
  return *kLogger;
}

bool IsPlain(absl::string_view value) {
  if (value.empty()) return false;
  for (const char c : value) {
    if (!absl::ascii_isgraph(static_cast<unsigned char>(c)) || c == '"' || c == '=' || c == '\\') return false;
  }
  return true;
}

}  // namespace

void SetLevel(Level level) { Logger().set_level(LevelOf(level)); }

void Write(Level level, absl::string_view message, Fields fields) {
  spdlog::logger& logger = Logger();
  if (!logger.should_log(LevelOf(level))) return;
  const std::string line = Format(message, fields);
  logger.log(LevelOf(level), spdlog::string_view_t(line));
}

std::string Format(absl::string_view message, Fields fields) {
  // Quotes in a message are no trouble to anyone; only what is inside quotes needs them escaped.
  std::string line = absl::StrReplaceAll(absl::Utf8SafeCEscape(message), {{"\\\"", "\""}, {"\\'", "'"}});
  for (const Field& field : fields) {
    absl::StrAppend(&line, " ", field.key, "=");
    if (IsPlain(field.value)) {
      absl::StrAppend(&line, field.value);
    } else {
      absl::StrAppend(&line, "\"", absl::StrReplaceAll(absl::Utf8SafeCEscape(field.value), {{"\\'", "'"}}), "\"");
    }
  }
  return line;
}

}  // namespace kupen::log
