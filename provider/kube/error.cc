#include "provider/kube/error.h"

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "provider/json/json.h"

namespace kupen::kube {
namespace {

constexpr absl::string_view kReason = "kupenstack.io/reason";
constexpr absl::string_view kRetryAfter = "kupenstack.io/retry-after-seconds";
// Of a body that is no Status: enough to see what it is.
constexpr size_t kExcerpt = 200;

absl::StatusCode CodeOf(int http, absl::string_view reason) {
  switch (http) {
    case 400:
    case 413:
    case 422:
      return absl::StatusCode::kInvalidArgument;
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kNotFound;
    case 405:
    case 406:
    case 415:
    case 501:
      return absl::StatusCode::kUnimplemented;
    case 409:
      return reason == "AlreadyExists" ? absl::StatusCode::kAlreadyExists : absl::StatusCode::kAborted;
    case 410:
      return absl::StatusCode::kOutOfRange;
    case 429:
      return absl::StatusCode::kResourceExhausted;
    case 504:
      return absl::StatusCode::kDeadlineExceeded;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

int IntAt(const rapidjson::Value& root, std::initializer_list<absl::string_view> path) {
  const rapidjson::Value* value = json::Find(root, path);
  return value != nullptr && value->IsInt() ? value->GetInt() : 0;
}

void SetRetryAfter(absl::Status& status, int seconds) {
  if (seconds > 0) status.SetPayload(kRetryAfter, absl::Cord(absl::StrCat(seconds)));
}

absl::Status Make(int http, const rapidjson::Value& body) {
  const absl::string_view reason = json::String(body, {"reason"});
  absl::Status status(CodeOf(http, reason),
                      absl::StrCat(json::String(body, {"message"}), " (HTTP ", http, reason.empty() ? "" : ", ", reason, ")"));
  if (!reason.empty()) status.SetPayload(kReason, absl::Cord(reason));
  SetRetryAfter(status, IntAt(body, {"details", "retryAfterSeconds"}));
  return status;
}

}  // namespace

absl::Status ErrorOf(const http::Response& response) {
  if (response.status >= 200 && response.status < 300) return absl::OkStatus();
  const absl::StatusOr<rapidjson::Document> body = json::Parse(response.body);
  absl::Status status;
  if (body.ok() && json::String(*body, {"kind"}) == "Status") {
    status = Make(response.status, *body);
  } else {
    const absl::string_view text = absl::StripAsciiWhitespace(absl::string_view(response.body).substr(0, kExcerpt));
    status = absl::Status(CodeOf(response.status, ""), absl::StrCat("HTTP ", response.status, text.empty() ? "" : ": ", text));
  }
  int seconds = 0;
  if (absl::SimpleAtoi(http::Find(response.headers, "Retry-After"), &seconds)) SetRetryAfter(status, seconds);
  return status;
}

absl::Status ErrorOfStatusObject(const rapidjson::Value& status) { return Make(IntAt(status, {"code"}), status); }

std::string Reason(const absl::Status& status) { return std::string(status.GetPayload(kReason).value_or(absl::Cord())); }

std::optional<absl::Duration> RetryAfter(const absl::Status& status) {
  int seconds = 0;
  const auto payload = status.GetPayload(kRetryAfter);
  if (!payload.has_value() || !absl::SimpleAtoi(std::string(*payload), &seconds)) return std::nullopt;
  return absl::Seconds(seconds);
}

}  // namespace kupen::kube
