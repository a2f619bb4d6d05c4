#include "provider/base/status.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace kupen {

absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  absl::Status annotated(status.code(), absl::StrCat(context, ": ", status.message()));
  status.ForEachPayload(
      [&annotated](absl::string_view type, const absl::Cord& payload) { annotated.SetPayload(type, payload); });
  return annotated;
}

}  // namespace kupen
