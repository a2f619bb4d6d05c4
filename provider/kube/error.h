// What the API server's refusals mean.
//
//   const absl::Status status = client.Create(…).status();
//   if (IsConflict(status)) …                       // someone else wrote first: read again
//
// | HTTP                         | absl::StatusCode   |
// |------------------------------|--------------------|
// | 400, 413, 422                | INVALID_ARGUMENT   |
// | 401                          | UNAUTHENTICATED    |
// | 403                          | PERMISSION_DENIED  |
// | 404                          | NOT_FOUND          |
// | 405, 406, 415, 501           | UNIMPLEMENTED      |
// | 409 with reason AlreadyExists | ALREADY_EXISTS    |
// | other 409                    | ABORTED            |
// | 410                          | OUT_OF_RANGE       |
// | 429                          | RESOURCE_EXHAUSTED |
// | 504                          | DEADLINE_EXCEEDED  |
// | 500, 503, anything else      | UNAVAILABLE        |
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "provider/http/transport.h"
#include "rapidjson/document.h"

namespace kupen::kube {

// OK for a 2xx answer; else the error that its body, a Kubernetes Status if all is well, tells.
absl::Status ErrorOf(const http::Response& response);

// The same for a Status object, as a watch has it inside its stream.
absl::Status ErrorOfStatusObject(const rapidjson::Value& status);

// The server's reason, such as "NotFound" or "Invalid"; empty if it gave none.
std::string Reason(const absl::Status& status);
// How long the server asks us to wait, if it does.
std::optional<absl::Duration> RetryAfter(const absl::Status& status);

// Someone else has changed, or owns, what was to be written.
inline bool IsConflict(const absl::Status& status) { return absl::IsAborted(status); }
// The resource version or the continue token is too old.
inline bool IsExpired(const absl::Status& status) { return absl::IsOutOfRange(status); }

}  // namespace kupen::kube
