// An http::Transport without a network: a function answers, and what was asked is kept.
//
//   ScriptedTransport transport([](const http::Request& request) { return http::Response{.status = 204}; });
//
// Thread safety: as a Transport; the function is called from the threads that send.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "provider/http/transport.h"

namespace kupen::test {

class ScriptedTransport final : public http::Transport {
 public:
  using Answer = std::function<absl::StatusOr<http::Response>(const http::Request& request)>;

  explicit ScriptedTransport(Answer answer) : answer_(std::move(answer)) {}

  absl::StatusOr<http::Response> Send(const http::Request& request, const std::stop_token& stop) override;
  absl::StatusOr<http::Response> Stream(const http::Request& request, const http::ResponseSink& on_head,
                                        const http::BodySink& on_body, const std::stop_token& stop) override;

  std::vector<http::Request> requests() const;

 private:
  const Answer answer_;
  mutable std::mutex mutex_;
  std::vector<http::Request> requests_;
};

}  // namespace kupen::test
