// What holds for every object, whatever its row says.
#include <algorithm>
#include <array>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "test/lab/contract.h"

namespace kupen::test {
namespace {

using rapidjson::Value;

constexpr size_t kLargestStatus = 8 * 1024;
constexpr size_t kLongestMessage = 512;
// Of metadata, in the notation of managedFields.
constexpr std::array<absl::string_view, 3> kOurMetadata = {"f:annotations", "f:finalizers", "."};
constexpr std::array<absl::string_view, 3> kOurAnnotations = {".", "f:crossplane.io/external-name",
                                                              "f:m.kupenstack.io/created-with"};

absl::Status Broken(absl::string_view rule) { return absl::FailedPreconditionError(rule); }

absl::Status CheckCondition(const Value& condition, const Value& generation) {
  const absl::string_view type = json::String(condition, {"type"});
  const Value* seen = json::Find(condition, {"observedGeneration"});
  if (seen == nullptr || seen->GetInt64() > generation.GetInt64()) return Broken(absl::StrCat(type, " has no generation"));
  const absl::string_view message = json::String(condition, {"message"});
  if (message.size() > kLongestMessage) return Broken(absl::StrCat(type, " says too much"));
  if (absl::StrContains(message, "req-")) return Broken(absl::StrCat(type, " has a request id"));
  if (json::String(condition, {"lastTransitionTime"}).empty()) return Broken(absl::StrCat(type, " has no time"));
  return absl::OkStatus();
}

absl::Status CheckFederation(const Value& object) {
  const Value* federation = json::Find(object, {"status", "federation"});
  // A pause, or a cloud that never answered.
  if (federation == nullptr) return absl::OkStatus();
  for (const auto& member : federation->GetObject()) {
    const bool plain = member.value.IsString() || member.value.IsBool() || member.value.IsInt64();
    if (!plain) return Broken(absl::StrCat("status.federation.", json::String(member.name), " is not flat"));
  }
  const Value* ready = json::Find(*federation, {"ready"});
  if (ready == nullptr || ready->GetBool() != kube::IsTrue(object, "Ready")) return Broken("federation.ready is not Ready");
  return absl::OkStatus();
}

// All of the members are among the allowed ones.
template <typename Allowed>
absl::Status CheckMembers(const Value* fields, const Allowed& allowed) {
  if (fields == nullptr) return absl::OkStatus();
  for (const auto& member : fields->GetObject()) {
    const absl::string_view name = json::String(member.name);
    if (!absl::c_linear_search(allowed, name)) return Broken(absl::StrCat("the provider has written ", name));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckStatusShape(const Value& object) {
  const Value* status = json::Find(object, {"status"});
  if (status == nullptr) return absl::UnavailableError("has no status yet");
  const Value* generation = json::Find(object, {"metadata", "generation"});
  const Value* observed = json::Find(*status, {"observedGeneration"});
  if (observed == nullptr || *observed != *generation) return absl::UnavailableError("has not been looked at since it changed");
  const auto conditions = json::Array(*status, {"conditions"});
  for (const Value& condition : conditions) RETURN_IF_ERROR(CheckCondition(condition, *generation));
  const bool sorted = std::is_sorted(conditions.Begin(), conditions.End(), [](const Value& a, const Value& b) {
    return json::String(a, {"type"}) < json::String(b, {"type"});
  });
  if (!sorted) return Broken("conditions have no order");
  if (kube::IsTrue(object, "Reconciling") && kube::IsTrue(object, "Stalled")) return Broken("is Reconciling and Stalled");
  if (json::Write(*status).size() > kLargestStatus) return Broken("status is too large");
  return CheckFederation(object);
}

absl::Status CheckWritten(const Value& object) {
  for (const Value& entry : json::Array(object, {"metadata", "managedFields"})) {
    if (!absl::StartsWith(json::String(entry, {"manager"}), "provider-kupenstack")) continue;
    const std::array<absl::string_view, 2> parts = {"f:metadata", "f:status"};
    RETURN_IF_ERROR(CheckMembers(json::Find(entry, {"fieldsV1"}), parts));
    RETURN_IF_ERROR(CheckMembers(json::Find(entry, {"fieldsV1", "f:metadata"}), kOurMetadata));
    RETURN_IF_ERROR(CheckMembers(json::Find(entry, {"fieldsV1", "f:metadata", "f:annotations"}), kOurAnnotations));
  }
  return absl::OkStatus();
}

}  // namespace kupen::test
