#include "provider/access/problem.h"

#include "absl/strings/cord.h"

namespace kupen::access {
namespace {

constexpr absl::string_view kPayload = "kupenstack.io/config-reason";

}  // namespace

absl::Status Because(absl::string_view reason, absl::Status status) {
  if (!status.ok()) status.SetPayload(kPayload, absl::Cord(reason));
  return status;
}

std::string ReasonOf(const absl::Status& status) {
  return std::string(status.GetPayload(kPayload).value_or(absl::Cord("Unknown")));
}

}  // namespace kupen::access
