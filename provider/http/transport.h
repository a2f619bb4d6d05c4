// HTTP exchanges, as the Kubernetes and OpenStack clients need them. The implementation (client.h) is one file; tests bring
// their own Transport.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace kupen::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

// The first header of that name in any case, or empty.
absl::string_view Find(const Headers& headers, absl::string_view name);

// Gives a long request body piece by piece; an empty piece is its end. An error ends the exchange.
using BodySource = std::function<absl::StatusOr<std::string>()>;

struct Request {
  std::string method = "GET";
  // Path and query, below the transport's base URL; starts with '/'.
  std::string target;
  Headers headers = {};
  std::string body = "";
  // Instead of `body`. Such a request is never sent twice.
  BodySource body_source = nullptr;
  std::string content_type = "application/json";
  // For the whole exchange when the bodies come as one; for each wait for more when one of them is streamed.
  absl::Duration timeout = absl::Seconds(30);
  // Not sent: what is asked ("network"), for those who count requests (observed.h).
  std::string service = "";
};

struct Response {
  int status = 0;
  Headers headers = {};
  std::string body = "";
};

// Called with each piece of a streamed body, as it arrives. False ends the exchange.
using BodySink = std::function<bool(absl::string_view piece)>;
// Called once, before the body, with status and headers.
using ResponseSink = std::function<void(const Response& head)>;

// Thread safety: all methods may be called from any thread at once.
class Transport {
 public:
  virtual ~Transport() = default;

  // One exchange. An HTTP error status is an answer, not an error: errors are what kept an answer from coming.
  // DEADLINE_EXCEEDED, CANCELLED (by the stop token) or UNAVAILABLE, with the address and the cause; NeverSent() tells whether
  // the server can have seen the request.
  virtual absl::StatusOr<Response> Send(const Request& request, const std::stop_token& stop) = 0;

  // The same, with the body of a 2xx answer given to the sink instead of kept; other answers' bodies are in the result. A
  // stream that the sink or the server's end of body ends is OK.
  virtual absl::StatusOr<Response> Stream(const Request& request, const ResponseSink& on_head, const BodySink& on_body,
                                          const std::stop_token& stop) = 0;
};

// Marks, and recognises, an error of an exchange that cannot have reached the server: a create may be tried again.
absl::Status MarkNeverSent(absl::Status status);
bool NeverSent(const absl::Status& status);

}  // namespace kupen::http
