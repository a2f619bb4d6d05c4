#include "test/simulator/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "provider/base/status.h"

namespace kupen::simulator {
namespace {

// What epoll gives back for these; connections count from above.
constexpr uint64_t kListener = 0;
constexpr uint64_t kStop = 1;
constexpr int kBacklog = 1024;
constexpr size_t kReadAtOnce = 1 << 16;

bool HasNoBody(int status) { return status == 204 || status == 304; }

std::string Encode(const http::Response& response, bool with_body, bool close) {
  std::string text = absl::StrCat("HTTP/1.1 ", response.status, " Simulated\r\n");
  for (const auto& [name, value] : response.headers) absl::StrAppend(&text, name, ": ", value, "\r\n");
  if (!HasNoBody(response.status)) absl::StrAppend(&text, "Content-Length: ", response.body.size(), "\r\n");
  absl::StrAppend(&text, close ? "Connection: close\r\n\r\n" : "\r\n");
  if (with_body && !HasNoBody(response.status)) text += response.body;
  return text;
}

absl::Status SystemError(absl::string_view what) {
  return absl::UnavailableError(absl::StrCat("simulator: ", what, ": ", std::strerror(errno)));
}

absl::StatusOr<int> Listen(const std::string& address, int port) {
  sockaddr_in where = {};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<uint16_t>(port));
  if (inet_pton(AF_INET, address.c_str(), &where.sin_addr) != 1) {
    return absl::InvalidArgumentError(absl::StrCat("simulator: ", address, " is not an IPv4 address to listen on"));
  }
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (bind(listener, reinterpret_cast<sockaddr*>(&where), sizeof(where)) != 0 || listen(listener, kBacklog) != 0) {
    const absl::Status error = SystemError(absl::StrCat("cannot listen on ", address, ":", port));
    close(listener);
    return error;
  }
  return listener;
}

int PortOf(int listener) {
  sockaddr_in where = {};
  socklen_t size = sizeof(where);
  getsockname(listener, reinterpret_cast<sockaddr*>(&where), &size);
  return ntohs(where.sin_port);
}

}  // namespace

EventServer::EventServer(Handler handler, int listener, int port)
    : handler_(std::move(handler)), listener_(listener), port_(port) {}

absl::StatusOr<std::unique_ptr<EventServer>> EventServer::Start(const std::string& address, int port, Handler handler) {
  std::signal(SIGPIPE, SIG_IGN);
  ASSIGN_OR_RETURN(const int listener, Listen(address, port));
  std::unique_ptr<EventServer> server(new EventServer(std::move(handler), listener, PortOf(listener)));
  RETURN_IF_ERROR(server->Open());
  server->thread_ = std::thread([running = server.get()] { running->Run(); });
  return server;
}

absl::Status EventServer::Open() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  stop_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  for (const auto& [descriptor, id] : {std::pair(listener_, kListener), {stop_, kStop}}) {
    epoll_event event = {.events = EPOLLIN, .data = {.u64 = id}};
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) != 0) return SystemError("epoll");
  }
  return absl::OkStatus();
}

EventServer::~EventServer() {
  const uint64_t one = 1;
  if (thread_.joinable() && write(stop_, &one, sizeof(one)) == sizeof(one)) thread_.join();
  for (const auto& [id, connection] : connections_) close(connection.socket);
  for (const int descriptor : {listener_, epoll_, stop_}) close(descriptor);
}

void EventServer::Run() {
  std::array<epoll_event, 64> events;
  for (;;) {
    const int count = epoll_wait(epoll_, events.data(), events.size(), WaitMilliseconds());
    for (int i = 0; i < count; ++i) {
      const uint64_t id = events[static_cast<size_t>(i)].data.u64;
      const uint32_t what = events[static_cast<size_t>(i)].events;
      if (id == kStop) return;
      if (id == kListener) {
        Accept();
        continue;
      }
      if ((what & EPOLLOUT) != 0) Send(id);
      if ((what & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) Read(id);
    }
    AnswerDue();
  }
}

int EventServer::WaitMilliseconds() const {
  if (due_.empty()) return -1;
  const absl::Duration left = std::max(due_.top().at - absl::Now(), absl::ZeroDuration());
  // Rounded up: an answer is never early.
  return static_cast<int>(absl::ToInt64Milliseconds(left + absl::Microseconds(999)));
}

void EventServer::AnswerDue() {
  const absl::Time now = absl::Now();
  while (!due_.empty() && due_.top().at <= now) {
    const Due due = due_.top();
    due_.pop();
    const auto found = connections_.find(due.connection);
    if (found == connections_.end()) continue;
    if (due.bytes == nullptr) {
      Close(due.connection);
      continue;
    }
    found->second.outgoing += *due.bytes;
    found->second.answering = false;
    found->second.close_when_sent = due.close;
    Send(due.connection);
    if (connections_.contains(due.connection)) Serve(due.connection);
  }
}

void EventServer::Accept() {
  for (;;) {
    const int accepted = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted < 0) return;
    const int yes = 1;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    const uint64_t id = ++last_id_;
    connections_[id].socket = accepted;
    Watch(id, connections_[id], EPOLL_CTL_ADD);
  }
}

void EventServer::Watch(uint64_t id, const Connection& connection, int operation) const {
  const uint32_t events = connection.wants_to_write ? EPOLLIN | EPOLLOUT : EPOLLIN;
  epoll_event event = {.events = events, .data = {.u64 = id}};
  epoll_ctl(epoll_, operation, connection.socket, &event);
}

void EventServer::Read(uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  std::array<char, kReadAtOnce> buffer;
  for (;;) {
    const ssize_t count = recv(found->second.socket, buffer.data(), buffer.size(), 0);
    if (count > 0) {
      found->second.parser.Add({buffer.data(), static_cast<size_t>(count)});
      continue;
    }
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count < 0 && errno == EINTR) continue;
    Close(id);
    return;
  }
  Serve(id);
}

void EventServer::Serve(uint64_t id) {
  for (auto found = connections_.find(id); found != connections_.end() && !found->second.answering;
       found = connections_.find(id)) {
    http::Request request;
    switch (found->second.parser.Next(&request)) {
      case RequestParser::Result::kRequest:
        Answer(id, request);
        break;
      case RequestParser::Result::kIncomplete:
        if (found->second.parser.TakeExpectation()) {
          found->second.outgoing += "HTTP/1.1 100 Continue\r\n\r\n";
          Send(id);
        }
        return;
      case RequestParser::Result::kMalformed:
        Close(id);
        return;
    }
  }
}

void EventServer::Answer(uint64_t id, const http::Request& request) {
  connections_[id].answering = true;
  const Reply reply = handler_(request);
  const bool close = absl::EqualsIgnoreCase(http::Find(request.headers, "Connection"), "close");
  auto bytes = reply.hang_up ? nullptr : std::make_shared<std::string>(Encode(reply.response, request.method != "HEAD", close));
  // Even what is due at once goes through the heap: one way for all.
  due_.push({.at = absl::Now() + reply.delay, .connection = id, .bytes = std::move(bytes), .close = close});
}

void EventServer::Send(uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  while (!connection.outgoing.empty()) {
    const ssize_t count = send(connection.socket, connection.outgoing.data(), connection.outgoing.size(), MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count < 0) {
      Close(id);
      return;
    }
    connection.outgoing.erase(0, static_cast<size_t>(count));
  }
  if (connection.outgoing.empty() && connection.close_when_sent) {
    Close(id);
    return;
  }
  if (connection.wants_to_write == connection.outgoing.empty()) {
    connection.wants_to_write = !connection.outgoing.empty();
    Watch(id, connection, EPOLL_CTL_MOD);
  }
}

void EventServer::Close(uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  close(found->second.socket);
  connections_.erase(found);
}

}  // namespace kupen::simulator
