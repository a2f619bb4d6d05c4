// What an OpenStack service's refusal means. One table (error.cc) turns service, HTTP status and body into an absl::Status
// whose message is for the user and whose payload says what to do:
//
//   absl::Status status = ErrorFromResponse("compute", response);
//   status.message()         // "nova: 403 Quota exceeded for instances: Requested 1, but already used 10 of 10 instances"
//   DispositionOf(status)    // kQuota
//   RequestIdOf(status)      // "req-…", for events and logs; not in the message, which must not differ from try to try
//
// The payload survives Annotate(). Errors without it, such as those of a transport, have the disposition of their code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/http/transport.h"

namespace kupen::openstack {

enum class Disposition : std::uint8_t {
  // Something in the cloud has to change first, and will: a state to end, a user of the object to go.
  kWait,
  // May work if tried again: nobody knows when.
  kRetry,
  // The service says when: RetryAfterOf(). Slow down towards the whole cloud.
  kRetryAfter,
  // The same request will be refused for ever: wait until the user asks for something else.
  kTerminal,
  // No room: a quota or a pool is used up. Only other people's actions help, so trying once in minutes is enough.
  kQuota,
};

// The error that an answer other than 2xx means. Secrets that the service may repeat in its message are blotted out of it.
absl::Status ErrorFromResponse(absl::string_view service_type, const http::Response& response,
                               const std::vector<std::string>& secrets = {});

Disposition DispositionOf(const absl::Status& status);
absl::string_view DispositionName(Disposition disposition);

// The status of the answer; 0 if there was none.
int HttpStatusOf(const absl::Status& status);

// How long the service asked us to wait; zero if it did not.
absl::Duration RetryAfterOf(const absl::Status& status);
// The same error, of somebody who has not sent a request because of it: without the request's id, and with the time that is
// left.
absl::Status WithRetryAfter(const absl::Status& status, absl::Duration left);

// The service's id of the request; empty if it gave none.
std::string RequestIdOf(const absl::Status& status);
absl::string_view RequestIdOf(const http::Response& response);

}  // namespace kupen::openstack
