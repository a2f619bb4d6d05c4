#include "test/fakes/fake_transport.h"

#include <utility>

namespace kupen::test {

void FakeTransport::Reply(int status, std::string body, http::Headers headers) {
  ReplyWith([response = http::Response{.status = status, .headers = std::move(headers), .body = std::move(body)}](
                const http::Request&, const http::BodySink& on_body) -> absl::StatusOr<http::Response> {
    if (on_body && response.status == 200) {
      on_body(response.body);
      return http::Response{.status = 200, .headers = response.headers};
    }
    return response;
  });
}

void FakeTransport::ReplyError(absl::Status error) {
  ReplyWith([error = std::move(error)](const http::Request&, const http::BodySink&) -> absl::StatusOr<http::Response> {
    return error;
  });
}

void FakeTransport::ReplyStream(std::vector<std::string> pieces, absl::Status end) {
  ReplyWith([pieces = std::move(pieces), end = std::move(end)](
                const http::Request&, const http::BodySink& on_body) -> absl::StatusOr<http::Response> {
    for (const std::string& piece : pieces) {
      if (!on_body(piece)) return http::Response{.status = 200};
    }
    if (!end.ok()) return end;
    return http::Response{.status = 200};
  });
}

void FakeTransport::ReplyWith(Answer answer) {
  const std::lock_guard guard(mutex_);
  answers_.push_back(std::move(answer));
  changed_.notify_all();
}

std::vector<http::Request> FakeTransport::requests() const {
  const std::lock_guard guard(mutex_);
  return requests_;
}

void FakeTransport::AwaitRequests(size_t count) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return requests_.size() >= count; });
}

absl::StatusOr<http::Response> FakeTransport::Send(const http::Request& request, const std::stop_token& stop) {
  return Stream(request, nullptr, nullptr, stop);
}

absl::StatusOr<http::Response> FakeTransport::Stream(const http::Request& request, const http::ResponseSink& /*on_head*/,
                                                     const http::BodySink& on_body, const std::stop_token& stop) {
  Answer answer;
  {
    std::unique_lock lock(mutex_);
    requests_.push_back(request);
    changed_.notify_all();
    if (!changed_.wait(lock, stop, [this] { return !answers_.empty(); })) return absl::CancelledError("no longer wanted");
    answer = std::move(answers_.front());
    answers_.pop_front();
  }
  return answer(request, on_body);
}

}  // namespace kupen::test
