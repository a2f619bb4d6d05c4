// That deadlines and stop tokens hold, whatever an exchange is waiting for.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/client.h"
#include "test/fakes/raw_server.h"

namespace kupen::http {
namespace {

using test::RawServer;
using testing::HasSubstr;

std::unique_ptr<Client> Connect(ClientOptions options) {
  auto client = Client::Create(std::move(options));
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

// A server socket that nobody accepts from, with its backlog full: connecting to it hangs.
class FullServer {
 public:
  FullServer() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(listener_, generic, size), 0);
    EXPECT_EQ(listen(listener_, 0), 0);
    EXPECT_EQ(getsockname(listener_, generic, &size), 0);
    port_ = ntohs(address.sin_port);
    for (int i = 0; i < 3; ++i) {
      waiting_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      // In progress, for good.
      EXPECT_LE(connect(waiting_.back(), generic, size), 0);
    }
  }
  ~FullServer() {
    close(listener_);
    for (const int socket : waiting_) close(socket);
  }
  FullServer(const FullServer&) = delete;
  FullServer& operator=(const FullServer&) = delete;

  std::string url() const { return absl::StrCat("http://127.0.0.1:", port_); }

 private:
  int listener_;
  int port_ = 0;
  std::vector<int> waiting_;
};

TEST(Deadline, HoldsAgainstAServerThatDrips) {
  const RawServer server([](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    while (peer.Write(".")) absl::SleepFor(absl::Milliseconds(10));
  });
  const absl::Time start = absl::Now();
  const auto response = Connect({.base_url = server.url()})->Send({.target = "/", .timeout = absl::Milliseconds(300)}, {});
  EXPECT_TRUE(absl::IsDeadlineExceeded(response.status())) << response.status();
  EXPECT_THAT(response.status().message(), HasSubstr("no end after 300ms: given up in the middle of the answer"));
  EXPECT_FALSE(NeverSent(response.status()));
  EXPECT_LT(absl::Now() - start, absl::Seconds(2));
}

TEST(Deadline, HoldsForARequestThatMayTakeLessThanThoseUnderWay) {
  const std::stop_source stop;
  std::atomic<int> asked = 0;
  const RawServer server([&](RawServer::Peer& peer) {
    peer.ReadRequest();
    ++asked;
    peer.AwaitEnd();
  });
  const auto client = Connect({.base_url = server.url()});
  const std::jthread patient([&] {
    EXPECT_TRUE(absl::IsCancelled(client->Send({.target = "/", .timeout = absl::Hours(1)}, stop.get_token()).status()));
  });
  while (asked == 0) std::this_thread::yield();
  const absl::Time start = absl::Now();
  const auto response = client->Send({.method = "POST", .target = "/", .timeout = absl::Milliseconds(200)}, {});
  EXPECT_TRUE(absl::IsDeadlineExceeded(response.status())) << response.status();
  EXPECT_LT(absl::Now() - start, absl::Seconds(2));
  stop.request_stop();
}

TEST(Deadline, HoldsAgainstDrippingHeaders) {
  const RawServer server([](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nX-Slow: ");
    while (peer.Write(".")) absl::SleepFor(absl::Milliseconds(10));
  });
  const auto response = Connect({.base_url = server.url()})->Send({.target = "/", .timeout = absl::Milliseconds(200)}, {});
  EXPECT_TRUE(absl::IsDeadlineExceeded(response.status())) << response.status();
}

TEST(Deadline, HoldsWhileConnecting) {
  const FullServer server;
  const absl::Time start = absl::Now();
  const auto response = Connect({.base_url = server.url()})->Send({.target = "/", .timeout = absl::Milliseconds(200)}, {});
  EXPECT_TRUE(absl::IsDeadlineExceeded(response.status())) << response.status();
  EXPECT_TRUE(NeverSent(response.status()));
  EXPECT_LT(absl::Now() - start, absl::Seconds(2));
}

TEST(Deadline, HoldsWhileTheRequestIsNotTaken) {
  const RawServer server([](RawServer::Peer& peer) {
    // Reads nothing: the request fills the buffers and stops.
    while (peer.Write("")) absl::SleepFor(absl::Milliseconds(10));
  });
  const std::string large(64 << 20, 'x');
  const auto client = Connect({.base_url = server.url()});
  const auto response = client->Send({.method = "POST", .target = "/", .body = large, .timeout = absl::Milliseconds(300)}, {});
  EXPECT_TRUE(absl::IsDeadlineExceeded(response.status())) << response.status();
}

TEST(ConnectTimeout, IsItsOwnLimit) {
  const FullServer server;
  const auto client = Connect({.base_url = server.url(), .connect_timeout = absl::Milliseconds(200)});
  const auto response = client->Send({.target = "/", .timeout = absl::Seconds(50)}, {});
  EXPECT_TRUE(absl::IsUnavailable(response.status())) << response.status();
  EXPECT_THAT(response.status().message(), HasSubstr("no connection within 200ms"));
  EXPECT_TRUE(NeverSent(response.status()));
}

TEST(StreamTimeout, CountsFromTheLastPiece) {
  std::mutex mutex;
  std::condition_variable silent;
  bool ended = false;
  const RawServer server([&](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    // Longer than the timeout as a whole, but never silent for that long.
    for (int i = 0; i < 10; ++i) {
      peer.Write("1\r\n.\r\n");
      absl::SleepFor(absl::Milliseconds(100));
    }
    std::unique_lock lock(mutex);
    silent.wait(lock, [&] { return ended; });
  });
  int pieces = 0;
  const auto end = Connect({.base_url = server.url()})
                       ->Stream({.target = "/", .timeout = absl::Milliseconds(500)}, nullptr,
                                [&](absl::string_view) { return ++pieces, true; }, {});
  EXPECT_TRUE(absl::IsDeadlineExceeded(end.status())) << end.status();
  EXPECT_EQ(pieces, 10);
  const std::lock_guard guard(mutex);
  ended = true;
  silent.notify_all();
}

TEST(Cancel, EndsABlockedRead) {
  const std::stop_source stop;
  const RawServer server([&](RawServer::Peer& peer) {
    peer.ReadRequest();
    stop.request_stop();
    peer.AwaitEnd();
  });
  const absl::Time start = absl::Now();
  const auto response = Connect({.base_url = server.url()})->Send({.target = "/"}, stop.get_token());
  EXPECT_TRUE(absl::IsCancelled(response.status())) << response.status();
  EXPECT_LT(absl::Now() - start, absl::Seconds(1));
}

TEST(Cancel, EndsAStream) {
  const std::stop_source stop;
  const RawServer server([](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n.\r\n");
    peer.AwaitEnd();
  });
  const auto end =
      Connect({.base_url = server.url()})
          ->Stream({.target = "/"}, nullptr, [&](absl::string_view) { return stop.request_stop(); }, stop.get_token());
  EXPECT_TRUE(absl::IsCancelled(end.status())) << end.status();
}

TEST(Cancel, EndsAConnect) {
  const FullServer server;
  const std::stop_source stop;
  const absl::Time start = absl::Now();
  const std::jthread other([&stop] {
    absl::SleepFor(absl::Milliseconds(100));
    stop.request_stop();
  });
  const auto response = Connect({.base_url = server.url()})->Send({.target = "/"}, stop.get_token());
  EXPECT_TRUE(absl::IsCancelled(response.status())) << response.status();
  EXPECT_TRUE(NeverSent(response.status()));
  EXPECT_LT(absl::Now() - start, absl::Seconds(2));
}

TEST(Cancel, BeforehandSendsNothing) {
  const RawServer server([](RawServer::Peer&) {});
  const std::stop_source stop;
  stop.request_stop();
  const auto response = Connect({.base_url = server.url()})->Send({.method = "POST", .target = "/"}, stop.get_token());
  EXPECT_TRUE(absl::IsCancelled(response.status())) << response.status();
  EXPECT_TRUE(NeverSent(response.status()));
  EXPECT_EQ(server.connections(), 0);
}

}  // namespace
}  // namespace kupen::http
