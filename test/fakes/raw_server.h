// A TCP server whose every byte the test decides: for peers that misbehave.
//
//   RawServer server([](RawServer::Peer& peer) {
//     peer.ReadRequest();
//     peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel");     // and then closes
//   });
//   … server.url() …
//
// Thread safety: the script is called from a thread per connection.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/string_view.h"

namespace kupen::test {

class RawServer {
 public:
  class Peer {
   public:
    Peer(int socket, int number) : socket_(socket), number_(number) {}

    // Head and, if it has a Content-Length, body of the next request; empty at the end of the connection.
    std::string ReadRequest();
    // False once the other side is gone.
    bool Write(absl::string_view text);
    // Returns when the other side has ended the connection.
    void AwaitEnd();
    // Which connection this is, from 1.
    int number() const { return number_; }

   private:
    int socket_;
    int number_;
    std::string unread_;
  };

  explicit RawServer(std::function<void(Peer&)> script);
  // Ends all connections.
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  std::string url() const;
  int connections() const { return connections_; }

 private:
  void Accept();

  const std::function<void(Peer&)> script_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  bool stopping_ = false;
  std::vector<int> sockets_;
  std::vector<std::thread> peers_;
  std::thread acceptor_;
};

}  // namespace kupen::test
