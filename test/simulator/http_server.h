// An HTTP/1.1 server of one thread: requests wait for their answers in a heap of timers, not in threads, so that hundreds may
// be answered 50 ms late at once. And it can do what a cloud does on a bad day: hang up instead of answering.
//
//   ASSIGN_OR_RETURN(const std::unique_ptr<EventServer> server, EventServer::Start("127.0.0.1", 0, [](const http::Request& r) {
//     return EventServer::Reply{.response = {.status = 204}, .delay = absl::Milliseconds(50)};
//   }));
//
// The handler is called from the server's own thread only, and must not wait for anything.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "provider/http/transport.h"
#include "test/simulator/http_parser.h"

namespace kupen::simulator {

class EventServer {
 public:
  struct Reply {
    http::Response response;
    absl::Duration delay = absl::ZeroDuration();
    // The connection ends, and the answer is never sent.
    bool hang_up = false;
  };
  using Handler = std::function<Reply(const http::Request& request)>;

  // Port 0 takes any that is free.
  static absl::StatusOr<std::unique_ptr<EventServer>> Start(const std::string& address, int port, Handler handler);
  ~EventServer();
  EventServer(const EventServer&) = delete;
  EventServer& operator=(const EventServer&) = delete;

  int port() const { return port_; }

 private:
  struct Connection {
    int socket = -1;
    RequestParser parser;
    std::string outgoing;
    // A request was read, and its answer is not yet on its way: the next has to wait.
    bool answering = false;
    bool close_when_sent = false;
    bool wants_to_write = false;
  };
  struct Due {
    absl::Time at;
    uint64_t connection;
    std::shared_ptr<std::string> bytes;  // null: hang up
    bool close;
    bool operator>(const Due& other) const { return at > other.at; }
  };

  EventServer(Handler handler, int listener, int port);
  absl::Status Open();
  void Run();
  int WaitMilliseconds() const;
  void AnswerDue();
  void Accept();
  void Read(uint64_t id);
  // Reads the requests that are there, until one has to wait.
  void Serve(uint64_t id);
  void Answer(uint64_t id, const http::Request& request);
  void Send(uint64_t id);
  void Close(uint64_t id);
  void Watch(uint64_t id, const Connection& connection, int operation) const;

  const Handler handler_;
  const int listener_;
  const int port_;
  int epoll_ = -1;
  int stop_ = -1;
  uint64_t last_id_ = 1;
  std::unordered_map<uint64_t, Connection> connections_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::thread thread_;
};

}  // namespace kupen::simulator
