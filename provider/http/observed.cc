#include "provider/http/observed.h"

namespace kupen::http {

absl::StatusOr<Response> ObservedTransport::Send(const Request& request, const std::stop_token& stop) {
  absl::StatusOr<Response> response = inside_->Send(request, stop);
  observer_(request, response.ok() ? response->status : 0);
  return response;
}

absl::StatusOr<Response> ObservedTransport::Stream(const Request& request, const ResponseSink& on_head, const BodySink& on_body,
                                                   const std::stop_token& stop) {
  bool told = false;
  const auto tell_once = [&](int status) {
    if (!told) observer_(request, status);
    told = true;
  };
  absl::StatusOr<Response> response = inside_->Stream(
      request,
      [&](const Response& head) {
        tell_once(head.status);
        if (on_head != nullptr) on_head(head);
      },
      on_body, stop);
  tell_once(response.ok() ? response->status : 0);
  return response;
}

}  // namespace kupen::http
