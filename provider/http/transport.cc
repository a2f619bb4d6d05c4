#include "provider/http/transport.h"

#include "absl/strings/cord.h"
#include "absl/strings/match.h"

namespace kupen::http {
namespace {

constexpr absl::string_view kNeverSent = "kupenstack.io/never-sent";

}  // namespace

absl::string_view Find(const Headers& headers, absl::string_view name) {
  for (const auto& [key, value] : headers) {
    if (absl::EqualsIgnoreCase(key, name)) return value;
  }
  return "";
}

absl::Status MarkNeverSent(absl::Status status) {
  status.SetPayload(kNeverSent, absl::Cord());
  return status;
}

bool NeverSent(const absl::Status& status) { return status.GetPayload(kNeverSent).has_value(); }

}  // namespace kupen::http
