#include "provider/base/crash_point.h"

#include <cstddef>

namespace kupen {
namespace {

CrashHandler& Handler() {
  static CrashHandler handler = nullptr;
  return handler;
}

}  // namespace

void SetCrashHandler(CrashHandler handler) { Handler() = handler; }

void CrashPoint(CrashAt point, absl::string_view object) {
  if (Handler() != nullptr) Handler()(kCrashPoints.at(static_cast<std::size_t>(point)), object);
}

}  // namespace kupen
