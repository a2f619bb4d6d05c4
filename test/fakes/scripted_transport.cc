#include "test/fakes/scripted_transport.h"

#include <utility>

#include "provider/base/status.h"

namespace kupen::test {

absl::StatusOr<http::Response> ScriptedTransport::Send(const http::Request& request, const std::stop_token& stop) {
  if (stop.stop_requested()) return absl::CancelledError("stopped");
  {
    const std::lock_guard guard(mutex_);
    requests_.push_back(request);
  }
  return answer_(request);
}

absl::StatusOr<http::Response> ScriptedTransport::Stream(const http::Request& request, const http::ResponseSink& on_head,
                                                         const http::BodySink& on_body, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(http::Response response, Send(request, stop));
  const std::string body = std::exchange(response.body, "");
  on_head(response);
  if (response.status / 100 == 2) {
    on_body(body);
  } else {
    response.body = body;
  }
  return response;
}

std::vector<http::Request> ScriptedTransport::requests() const {
  const std::lock_guard guard(mutex_);
  return requests_;
}

}  // namespace kupen::test
