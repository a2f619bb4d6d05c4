#include "provider/http/server.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/client.h"

namespace kupen::http {
namespace {

using testing::HasSubstr;

Handler Says(const std::string& text) {
  return [text](const Request&) { return Response{.status = 200, .body = text}; };
}

std::unique_ptr<Client> ClientOf(const Server& server) {
  auto client = Client::Create({.base_url = absl::StrCat("http://127.0.0.1:", server.port())});
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

TEST(Server, RoutesByPath) {
  const auto server =
      Server::Start({.routes = {{"/healthz", Says("healthy")}, {"/debug/", Says("debug")}, {"/debug/deep/", Says("deep")}}});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto client = ClientOf(**server);
  const auto body = [&](const std::string& target) {
    const auto response = client->Send({.target = target}, {});
    return response.ok() ? absl::StrCat(response->status, " ", response->body) : response.status().ToString();
  };
  EXPECT_EQ(body("/healthz?verbose"), "200 healthy");
  EXPECT_EQ(body("/debug/a/b"), "200 debug");
  EXPECT_EQ(body("/debug/deep/a"), "200 deep");
  EXPECT_EQ(body("/debug"), "404 not found\n");
  EXPECT_EQ(body("/"), "404 not found\n");
}

TEST(Server, PassesTheWholeRequestAndAnswer) {
  const auto server =
      Server::Start({.routes = {{"/x", [](const Request& request) {
                                   return Response{.status = 418,
                                                   .headers = {{"Content-Type", "a/b"}, {"X-Two", "2"}},
                                                   .body = absl::StrCat(request.method, " ", request.target, " ",
                                                                        Find(request.headers, "x-one"), " ",
                                                                        request.content_type, " ", request.body)};
                                 }}}});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto response = ClientOf(**server)->Send(
      {.method = "DELETE", .target = "/x?y=%20", .headers = {{"X-One", "1"}}, .body = "{}", .content_type = "c/d"}, {});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 418);
  EXPECT_EQ(response->body, "DELETE /x?y=%20 1 c/d {}");
  EXPECT_EQ(Find(response->headers, "content-type"), "a/b");
  EXPECT_EQ(Find(response->headers, "X-Two"), "2");
}

TEST(Server, SaysThatItsPortIsTaken) {
  const auto first = Server::Start({.routes = {}});
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = Server::Start({.port = (*first)->port(), .routes = {}});
  EXPECT_TRUE(absl::IsUnavailable(second.status()));
  EXPECT_THAT(second.status().message(), HasSubstr(absl::StrCat("127.0.0.1, port ", (*first)->port())));
}

TEST(Server, StopsWhileAConnectionIsOpen) {
  auto server = Server::Start({.routes = {{"/", Says("ok")}}});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto client = ClientOf(**server);
  ASSERT_TRUE(client->Send({.target = "/"}, {}).ok());
  server->reset();
  EXPECT_FALSE(client->Send({.target = "/"}, {}).ok());
}

}  // namespace
}  // namespace kupen::http
