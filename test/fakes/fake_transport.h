// A Transport that answers what the test has written down, in that order.
//
//   FakeTransport transport;
//   transport.Reply(200, R"({"metadata":{}})");
//   transport.ReplyStream({"{\"type\":", "\"BOOKMARK\"…}\n"});
//   … code under test …
//   EXPECT_EQ(transport.requests()[0].target, "/api/v1/…");
//
// With nothing written down, an exchange waits until something is, or until it is no longer wanted.
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "provider/http/transport.h"

namespace kupen::test {

class FakeTransport final : public http::Transport {
 public:
  using Answer = std::function<absl::StatusOr<http::Response>(const http::Request&, const http::BodySink&)>;

  void Reply(int status, std::string body, http::Headers headers = {});
  void ReplyError(absl::Status error);
  // A 200 whose body comes in pieces; then the server closes it, or the exchange fails with `end`.
  void ReplyStream(std::vector<std::string> pieces, absl::Status end = absl::OkStatus());
  // Anything else. The sink is null unless the exchange is streamed.
  void ReplyWith(Answer answer);

  std::vector<http::Request> requests() const;
  // Returns once that many requests have come, whether answered or waiting.
  void AwaitRequests(size_t count) const;

  absl::StatusOr<http::Response> Send(const http::Request& request, const std::stop_token& stop) override;
  absl::StatusOr<http::Response> Stream(const http::Request& request, const http::ResponseSink& on_head,
                                        const http::BodySink& on_body, const std::stop_token& stop) override;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::vector<http::Request> requests_;
  std::deque<Answer> answers_;
};

}  // namespace kupen::test
