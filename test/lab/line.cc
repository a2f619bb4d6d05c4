#include "test/lab/line.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"

namespace kupen::test {
namespace {

std::string ReadFile(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

sockaddr_in Address(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

int NewSocket() { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

bool SendAll(int to, const char* bytes, ssize_t count) {
  return send(to, bytes, static_cast<size_t>(count), MSG_NOSIGNAL) == count;
}

}  // namespace

Line::Line() { status_ = Listen(); }

absl::Status Line::Listen() {
  const char* const given = std::getenv("KUBECONFIG");
  const std::string config = given == nullptr ? "" : ReadFile(given);
  static const std::regex server(R"(https://([0-9.]+):([0-9]+))");
  std::smatch found;
  if (!std::regex_search(config, found, server) || !absl::SimpleAtoi(found[2].str(), &port_)) {
    return absl::NotFoundError("$KUBECONFIG names no server by its address");
  }
  host_ = found[1];

  listener_ = NewSocket();
  sockaddr_in address = Address("127.0.0.1", 0);
  socklen_t size = sizeof(address);
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 64) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return absl::UnavailableError(absl::StrCat("cannot listen: ", std::strerror(errno)));
  }
  const int own_port = ntohs(address.sin_port);
  kubeconfig_ = absl::StrCat(testing::TempDir(), "line-", own_port, ".kubeconfig");
  std::ofstream(kubeconfig_) << std::regex_replace(config, server, absl::StrCat("https://127.0.0.1:", own_port));
  acceptor_ = std::thread([this] { Accept(); });
  return absl::OkStatus();
}

Line::~Line() {
  if (!acceptor_.joinable()) return;
  {
    const std::lock_guard guard(mutex_);
    is_stopping_ = true;
    for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
  }
  stopped_.notify_all();
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (std::thread& carrier : carriers_) carrier.join();
  for (const int socket : sockets_) close(socket);
  close(listener_);
}

void Line::Accept() {
  while (true) {
    const int near_side = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (near_side < 0) return;
    const int far_side = NewSocket();
    const sockaddr_in address = Address(host_, port_);
    const std::lock_guard guard(mutex_);
    sockets_.insert(sockets_.end(), {near_side, far_side});
    if (is_stopping_) return;
    // An API server that is not there refuses at once.
    if (is_cut_ || connect(far_side, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      shutdown(near_side, SHUT_RDWR);
      continue;
    }
    carriers_.emplace_back([this, near_side, far_side] { Carry(near_side, far_side); });
  }
}

void Line::Carry(int near_side, int far_side) {
  std::array<pollfd, 2> sides = {pollfd{.fd = near_side, .events = POLLIN, .revents = 0},
                                 pollfd{.fd = far_side, .events = POLLIN, .revents = 0}};
  std::array<char, 16384> piece;
  Connection connection = NewConnection();
  for (bool goes_on = true; goes_on && poll(sides.data(), sides.size(), -1) > 0;) {
    for (size_t from = 0; goes_on && from < sides.size(); ++from) {
      if (sides[from].revents == 0) continue;
      const ssize_t count = recv(sides[from].fd, piece.data(), piece.size(), 0);
      goes_on = count > 0 && Passes(static_cast<int>(count), connection) && SendAll(sides[1 - from].fd, piece.data(), count);
    }
  }
  shutdown(near_side, SHUT_RDWR);
  shutdown(far_side, SHUT_RDWR);
}

bool Line::Passes(int bytes, Connection& connection) {
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, absl::ToChronoMilliseconds(delay_), [&] { return is_stopping_; });
  if (is_stopping_ || is_cut_) return false;
  if (life_ == 0) return true;
  connection.carried += bytes;
  if (connection.carried < life_ * connection.share) return true;
  ++ended_;
  return false;
}

Line::Connection Line::NewConnection() {
  const std::lock_guard guard(mutex_);
  return {.share = std::uniform_real_distribution<>(0.25, 1)(random_)};
}

void Line::Cut() {
  const std::lock_guard guard(mutex_);
  is_cut_ = true;
  for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
}

void Line::SetLife(int bytes) {
  const std::lock_guard guard(mutex_);
  life_ = bytes;
}

void Line::SetDelay(absl::Duration delay) {
  const std::lock_guard guard(mutex_);
  delay_ = delay;
}

void Line::Mend() {
  const std::lock_guard guard(mutex_);
  is_cut_ = false;
  life_ = 0;
  delay_ = absl::ZeroDuration();
}

int Line::ended() const {
  const std::lock_guard guard(mutex_);
  return ended_;
}

}  // namespace kupen::test
