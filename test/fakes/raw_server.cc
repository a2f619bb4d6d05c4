#include "test/fakes/raw_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace kupen::test {
namespace {

// Where the request that starts the text ends, or npos while it is not complete.
size_t RequestEnd(const std::string& text) {
  const size_t head = text.find("\r\n\r\n");
  if (head == std::string::npos) return head;
  size_t length = 0;
  if (const size_t header = text.find("Content-Length: "); header < head) {
    const size_t start = header + 16;
    if (!absl::SimpleAtoi(text.substr(start, text.find('\r', start) - start), &length)) std::abort();
  }
  return text.size() < head + 4 + length ? std::string::npos : head + 4 + length;
}

}  // namespace

std::string RawServer::Peer::ReadRequest() {
  std::array<char, 4096> buffer;
  while (RequestEnd(unread_) == std::string::npos) {
    const ssize_t count = recv(socket_, buffer.data(), buffer.size(), 0);
    if (count <= 0) return "";
    unread_.append(buffer.data(), static_cast<size_t>(count));
  }
  std::string request = unread_.substr(0, RequestEnd(unread_));
  unread_.erase(0, request.size());
  return request;
}

bool RawServer::Peer::Write(absl::string_view text) {
  return send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

void RawServer::Peer::AwaitEnd() {
  std::array<char, 4096> buffer;
  while (recv(socket_, buffer.data(), buffer.size(), 0) > 0) {
  }
}

RawServer::RawServer(std::function<void(Peer&)> script) : script_(std::move(script)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 64) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

RawServer::~RawServer() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
    for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  for (std::thread& peer : peers_) peer.join();
  for (const int socket : sockets_) close(socket);
}

std::string RawServer::url() const { return absl::StrCat("http://127.0.0.1:", port_); }

void RawServer::Accept() {
  while (true) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const std::lock_guard guard(mutex_);
    sockets_.push_back(socket);
    if (stopping_) return;
    peers_.emplace_back([this, socket, number = ++connections_] {
      Peer peer(socket, number);
      script_(peer);
      // Closed at the end: until then the number is the server's.
      shutdown(socket, SHUT_RDWR);
    });
  }
}

}  // namespace kupen::test
