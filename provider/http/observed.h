// A transport that tells someone how each of its exchanges ended: for metrics.
//
//   ObservedTransport transport(client, [&](const Request& request, int status) { metrics.Count(request.method, status); });
//
// Thread safety: as the transport inside; the observer is called from many threads at once.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include "absl/status/statusor.h"
#include "provider/http/transport.h"

namespace kupen::http {

// Status 0: no answer came.
using Observer = std::function<void(const Request& request, int status)>;

class ObservedTransport final : public Transport {
 public:
  ObservedTransport(std::shared_ptr<Transport> inside, Observer observer)
      : inside_(std::move(inside)), observer_(std::move(observer)) {}

  absl::StatusOr<Response> Send(const Request& request, const std::stop_token& stop) override;
  // Told when the head of the answer has come: a watch may last for minutes.
  absl::StatusOr<Response> Stream(const Request& request, const ResponseSink& on_head, const BodySink& on_body,
                                  const std::stop_token& stop) override;

 private:
  const std::shared_ptr<Transport> inside_;
  const Observer observer_;
};

}  // namespace kupen::http
