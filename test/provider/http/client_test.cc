#include "provider/http/client.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/server.h"
#include "test/fakes/raw_server.h"

namespace kupen::http {
namespace {

using test::RawServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char kOk[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

std::unique_ptr<Client> Connect(ClientOptions options) {
  auto client = Client::Create(std::move(options));
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

TEST(Client, SendsAndReceives) {
  std::string request;
  const RawServer server([&](RawServer::Peer& peer) {
    request = peer.ReadRequest();
    peer.Write("HTTP/1.1 404 Not Found\r\nX-Trace: t1\r\nContent-Length: 4\r\n\r\ngone");
  });
  const auto client = Connect({.base_url = server.url() + "/prefix/", .user_agent = "tester", .authorization = [] {
                                 return absl::StatusOr<std::string>("Bearer abc");
                               }});
  const auto response = client->Send(
      {.method = "PATCH", .target = "/a%2Fb?x=1", .headers = {{"X-One", "1"}}, .body = "{}", .content_type = "a/b"}, {});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->body, "gone");
  EXPECT_EQ(Find(response->headers, "x-trace"), "t1");
  EXPECT_THAT(request, HasSubstr("PATCH /prefix/a%2Fb?x=1 HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Authorization: Bearer abc\r\n"));
  EXPECT_THAT(request, HasSubstr("User-Agent: tester\r\n"));
  EXPECT_THAT(request, HasSubstr("Content-Type: a/b\r\n"));
  EXPECT_THAT(request, HasSubstr("X-One: 1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\n\r\n{}"));
}

TEST(Client, ReusesItsConnection) {
  const RawServer server([](RawServer::Peer& peer) {
    while (!peer.ReadRequest().empty()) peer.Write(kOk);
  });
  const auto client = Connect({.base_url = server.url()});
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client->Send({.target = "/"}, {}).ok());
  EXPECT_EQ(server.connections(), 1);
}

// Each busy worker has one: to open it anew for most requests would cost more than the requests.
TEST(Client, KeepsTheConnectionsOfAllWorkers) {
  constexpr int kWorkers = 32;
  std::mutex mutex;
  std::condition_variable arrived;
  int requests = 0;
  const RawServer server([&](RawServer::Peer& peer) {
    while (!peer.ReadRequest().empty()) {
      {
        // Answers when all of a round have asked, so that each has a connection of its own.
        std::unique_lock lock(mutex);
        const int round = requests++ / kWorkers + 1;
        arrived.notify_all();
        arrived.wait(lock, [&] { return requests >= round * kWorkers; });
      }
      peer.Write(kOk);
    }
  });
  const auto client = Connect({.base_url = server.url()});
  for (int round = 0; round < 2; ++round) {
    std::vector<std::jthread> workers;
    workers.reserve(kWorkers);
    for (int i = 0; i < kWorkers; ++i) workers.emplace_back([&] { EXPECT_TRUE(client->Send({.target = "/"}, {}).ok()); });
  }
  EXPECT_EQ(server.connections(), kWorkers);
}

TEST(Client, AsksForTheAuthorizationEachTime) {
  std::vector<std::string> requests;
  const RawServer server([&](RawServer::Peer& peer) {
    for (std::string request; !(request = peer.ReadRequest()).empty(); peer.Write(kOk)) requests.push_back(request);
  });
  int calls = 0;
  const auto client = Connect({.base_url = server.url(), .authorization = [&]() -> absl::StatusOr<std::string> {
                                 if (++calls == 3) return absl::NotFoundError("token file is gone");
                                 return absl::StrCat("Bearer ", calls);
                               }});
  ASSERT_TRUE(client->Send({.target = "/"}, {}).ok());
  ASSERT_TRUE(client->Send({.target = "/"}, {}).ok());
  const auto refused = client->Send({.target = "/"}, {});
  EXPECT_THAT(requests, ElementsAre(HasSubstr("Bearer 1"), HasSubstr("Bearer 2")));
  EXPECT_THAT(refused.status().message(), HasSubstr("token file is gone"));
  EXPECT_TRUE(NeverSent(refused.status()));
}

// Serves one request per connection, and closes at the second, which it has then seen.
void CloseAtSecondRequest(RawServer::Peer& peer, std::atomic<int>& seen) {
  if (peer.ReadRequest().empty()) return;
  ++seen;
  peer.Write(kOk);
  if (!peer.ReadRequest().empty()) ++seen;
}

TEST(Client, TriesAGetAgainWhenTheConnectionTurnedOutDead) {
  std::atomic<int> seen = 0;
  const RawServer server([&](RawServer::Peer& peer) { CloseAtSecondRequest(peer, seen); });
  const auto client = Connect({.base_url = server.url()});
  ASSERT_TRUE(client->Send({.target = "/"}, {}).ok());
  const auto second = client->Send({.target = "/"}, {});
  EXPECT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(seen, 3);
}

TEST(Client, NeverSendsAPostTwice) {
  std::atomic<int> seen = 0;
  const RawServer server([&](RawServer::Peer& peer) { CloseAtSecondRequest(peer, seen); });
  const auto client = Connect({.base_url = server.url()});
  ASSERT_TRUE(client->Send({.target = "/"}, {}).ok());
  const auto second = client->Send({.method = "POST", .target = "/servers", .body = "{}"}, {});
  EXPECT_TRUE(absl::IsUnavailable(second.status())) << second.status();
  EXPECT_FALSE(NeverSent(second.status()));
  EXPECT_THAT(second.status().message(), HasSubstr("the connection broke before an answer came"));
  EXPECT_EQ(seen, 2);
}

TEST(Client, DoesNotUseAConnectionThatTheServerHasClosed) {
  std::atomic<int> posts = 0;
  const RawServer server([&](RawServer::Peer& peer) {
    if (absl::StartsWith(peer.ReadRequest(), "POST")) ++posts;
    peer.Write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  const auto client = Connect({.base_url = server.url()});
  ASSERT_TRUE(client->Send({.target = "/"}, {}).ok());
  EXPECT_TRUE(client->Send({.method = "POST", .target = "/"}, {}).ok());
  EXPECT_EQ(posts, 1);
}

TEST(Client, GivesUpAfterOneMoreTry) {
  const RawServer server([](RawServer::Peer& peer) {
    if (peer.number() > 1) return;
    peer.ReadRequest();
    peer.Write(kOk);
    peer.ReadRequest();
  });
  const auto client = Connect({.base_url = server.url()});
  ASSERT_TRUE(client->Send({.target = "/"}, {}).ok());
  EXPECT_TRUE(absl::IsUnavailable(client->Send({.target = "/"}, {}).status()));
  EXPECT_EQ(server.connections(), 2);
}

TEST(Client, ServesManyThreadsAtOnce) {
  std::mutex mutex;
  std::condition_variable all;
  int waiting = 0;
  auto server = Server::Start({.routes = {{"/",
                                           [&](const Request& request) {
                                             std::unique_lock lock(mutex);
                                             if (++waiting == 64) all.notify_all();
                                             all.wait(lock, [&] { return waiting >= 64; });
                                             return Response{.status = 200, .body = request.target};
                                           }}},
                               .threads = 64});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto client = Connect({.base_url = absl::StrCat("http://127.0.0.1:", (*server)->port())});
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  threads.reserve(64);
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([&, i] {
      const auto response = client->Send({.target = absl::StrCat("/", i)}, {});
      if (response.ok() && response->body == absl::StrCat("/", i)) ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 64);
}

TEST(Client, StreamsPiecesAsTheyAreSent) {
  std::mutex mutex;
  std::condition_variable got;
  std::vector<std::string> pieces;
  const RawServer server([&](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Kind: watch\r\n\r\n");
    for (size_t i = 1; i <= 3; ++i) {
      peer.Write(absl::StrCat("5\r\nline", i, "\r\n"));
      // The next is sent only when this one has arrived.
      std::unique_lock lock(mutex);
      got.wait(lock, [&] { return pieces.size() == i; });
    }
    peer.Write("0\r\n\r\n");
    peer.AwaitEnd();
  });
  const auto client = Connect({.base_url = server.url()});
  int heads = 0;
  const auto end = client->Stream(
      {.target = "/"},
      [&](const Response& head) {
        ++heads;
        EXPECT_EQ(Find(head.headers, "X-Kind"), "watch");
      },
      [&](absl::string_view piece) {
        const std::lock_guard guard(mutex);
        pieces.emplace_back(piece);
        got.notify_all();
        return true;
      },
      {});
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(end->status, 200);
  EXPECT_EQ(end->body, "");
  EXPECT_EQ(heads, 1);
  EXPECT_THAT(pieces, ElementsAre("line1", "line2", "line3"));
}

TEST(Client, StreamEndsWhenTheSinkSaysSo) {
  const RawServer server([&](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nline1\r\n");
    peer.AwaitEnd();
  });
  const auto client = Connect({.base_url = server.url()});
  const auto end = client->Stream({.target = "/"}, nullptr, [](absl::string_view) { return false; }, {});
  EXPECT_TRUE(end.ok()) << end.status();
}

TEST(Client, StreamKeepsTheBodyOfAnErrorAnswer) {
  const RawServer server([](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 410 Gone\r\nContent-Length: 3\r\n\r\nold");
  });
  const auto client = Connect({.base_url = server.url()});
  const auto end = client->Stream(
      {.target = "/"}, [](const Response&) { ADD_FAILURE(); }, [](absl::string_view) { return ADD_FAILURE(), true; }, {});
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(end->status, 410);
  EXPECT_EQ(end->body, "old");
}

TEST(Client, SendsALongBodyPieceByPiece) {
  std::string body;
  auto server = Server::Start({.routes = {{"/image", [&](const Request& request) {
                                             body = request.body;
                                             return Response{.status = 204};
                                           }}}});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto client = Connect({.base_url = absl::StrCat("http://127.0.0.1:", (*server)->port())});
  int pieces = 0;
  const BodySource source = [&]() -> absl::StatusOr<std::string> {
    return ++pieces > 3 ? std::string() : std::string(100'000, static_cast<char>('a' + pieces));
  };
  const auto response = client->Send({.method = "PUT", .target = "/image", .body_source = source}, {});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 204);
  EXPECT_EQ(body, std::string(100'000, 'b') + std::string(100'000, 'c') + std::string(100'000, 'd'));

  const BodySource broken = [] { return absl::DataLossError("disk is gone"); };
  const auto failed = client->Send({.method = "PUT", .target = "/image", .body_source = broken}, {});
  EXPECT_TRUE(absl::IsDataLoss(failed.status())) << failed.status();
}

TEST(Client, ErrorsNameTheAddressAndTheCauseButNoSecret) {
  std::string url;
  {
    const RawServer gone([](RawServer::Peer&) {});
    url = gone.url();
  }
  const auto client = Connect({.base_url = url});
  const auto refused = client->Send({.target = "/path?token=s3cret"}, {});
  EXPECT_TRUE(absl::IsUnavailable(refused.status()));
  EXPECT_TRUE(NeverSent(refused.status()));
  EXPECT_THAT(refused.status().message(), HasSubstr(absl::StrCat("GET ", url, "/path: connection refused")));
  EXPECT_THAT(refused.status().message(), Not(HasSubstr("s3cret")));

  const auto nowhere = Connect({.base_url = "http://no-such-host.invalid"})->Send({.target = "/"}, {});
  EXPECT_THAT(nowhere.status().message(), HasSubstr("name can't be resolved"));
  EXPECT_TRUE(NeverSent(nowhere.status()));
}

TEST(Client, AnAnswerThatBreaksOffIsAnError) {
  const RawServer server([](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
  });
  const auto response = Connect({.base_url = server.url()})->Send({.target = "/"}, {});
  EXPECT_TRUE(absl::IsUnavailable(response.status()));
  EXPECT_THAT(response.status().message(), HasSubstr("in the middle of the answer"));
  EXPECT_FALSE(NeverSent(response.status()));
}

TEST(Client, RefusesOptionsThatCannotWork) {
  EXPECT_FALSE(Client::Create({.base_url = "nonsense"}).ok());
  EXPECT_FALSE(Client::Create({.base_url = "http://a", .connect_timeout = absl::Seconds(6)}).ok());
  EXPECT_THAT(Client::Create({.base_url = "https://a", .tls = {.ca_pem = "x"}}).status().message(),
              HasSubstr("https://a:443: certificate authority: no PEM certificate"));
  EXPECT_THAT(Client::Create({.base_url = "https://a", .tls = {.key_pem = "x"}}).status().message(),
              HasSubstr("both or neither"));
}

}  // namespace
}  // namespace kupen::http
