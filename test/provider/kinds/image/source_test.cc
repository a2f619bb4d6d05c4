#include "provider/kinds/image/source.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/server.h"
#include "test/fakes/certificates.h"
#include "test/fakes/raw_server.h"

namespace kupen::kinds {
namespace {

using test::RawServer;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::shared_ptr<const http::AddressRules> Allow(std::vector<std::string> ranges) {
  return std::make_shared<const http::AddressRules>(*http::AddressRules::Create({.allowed = std::move(ranges)}));
}

// What was read, and whether it started; or the error.
std::string Read(const std::string& url, const SourceOptions& options = {.allowed = Allow({"127.0.0.0/8"})}) {
  std::string data;
  int starts = 0;
  const absl::Status status = ReadSource(
      url, options, [&starts] { ++starts; },
      [&data](absl::string_view piece) {
        absl::StrAppend(&data, piece);
        return true;
      },
      {});
  EXPECT_LE(starts, 1);
  if (!status.ok()) return absl::StrCat(starts == 0 ? "" : "started, ", status.ToString());
  return starts == 1 ? data : "not started";
}

class SourceTest : public testing::Test {
 protected:
  static http::Response Redirect(int status, std::string to) {
    return {.status = status, .headers = {{"Location", std::move(to)}}};
  }

  // /hops/n leads to the data in n redirects.
  std::unique_ptr<http::Server> server_ = *http::Server::Start(
      {.routes = {
           {"/data", [](const http::Request& request) { return http::Response{.status = 200, .body = request.target}; }},
           {"/a/", [](const http::Request&) { return Redirect(302, "b?token=secret#part"); }},
           {"/a/b", [](const http::Request&) { return Redirect(307, "/data?token=secret"); }},
           {"/hops/",
            [](const http::Request& request) {
              const int left = request.target.back() - '0';
              return left == 0 ? Redirect(301, "/data") : Redirect(301, absl::StrCat("/hops/", left - 1));
            }},
           {"/metadata", [](const http::Request&) { return Redirect(302, "http://169.254.169.254/latest"); }},
           {"/ftp", [](const http::Request&) { return Redirect(302, "ftp://127.0.0.1/x"); }},
           {"/nowhere", [](const http::Request&) { return http::Response{.status = 302}; }},
           {"/partial", [](const http::Request&) { return http::Response{.status = 206, .body = "half"}; }},
           {"/gone", [](const http::Request&) { return http::Response{.status = 404, .body = "secret"}; }},
       }});
  const std::string url_ = absl::StrCat("http://127.0.0.1:", server_->port());
};

TEST_F(SourceTest, ReadsWithQueries) {
  EXPECT_EQ(Read(url_ + "/data?signature=a%2Fb&x=1#fragment"), "/data?signature=a%2Fb&x=1");
}

TEST_F(SourceTest, FollowsRedirectsOfAllForms) {
  EXPECT_EQ(Read(url_ + "/a/x"), "/data?token=secret");
  EXPECT_EQ(Read(url_ + "/hops/4"), "/data");
  EXPECT_THAT(Read(url_ + "/hops/5?key=secret"), AllOf(HasSubstr("redirected more than 5 times"), Not(HasSubstr("secret"))));
  EXPECT_THAT(Read(url_ + "/ftp"), HasSubstr("does not start with http:// or https://"));
  EXPECT_THAT(Read(url_ + "/nowhere"), HasSubstr("redirected without saying where"));
}

TEST_F(SourceTest, AddressesAreCheckedEachTime) {
  EXPECT_THAT(Read(url_ + "/data", {.allowed = Allow({})}),
              AllOf(HasSubstr("PERMISSION_DENIED"), HasSubstr("127.0.0.1"), HasSubstr("--allow-address=127.0.0.0/8")));
  EXPECT_THAT(Read(url_ + "/metadata"), AllOf(HasSubstr("PERMISSION_DENIED"), HasSubstr("GET http://169.254.169.254:80/latest"),
                                              HasSubstr("link-local")));
}

TEST_F(SourceTest, OtherAnswersAreErrorsWithoutTheirSecrets) {
  EXPECT_EQ(Read(url_ + "/gone?key=secret"),
            absl::StrCat("FAILED_PRECONDITION: GET ", url_, "/gone: answered with 404 instead of 200"));
  EXPECT_THAT(Read(url_ + "/partial"), HasSubstr("answered with 206 instead of 200"));
  EXPECT_THAT(Read("http://user:password@127.0.0.1/x"), AllOf(HasSubstr("INVALID_ARGUMENT"), Not(HasSubstr("password@"))));
  EXPECT_THAT(Read("127.0.0.1/x"), HasSubstr("does not start with http:// or https://"));
}

TEST_F(SourceTest, FromHttpsToHttpOnlyByTheUsersOwnWord) {
  const test::KeyAndCertificate ca = test::MakeAuthority();
  const test::KeyAndCertificate own =
      test::Issue(ca, {.common_name = "source", .usage = "serverAuth", .alternative_name = "IP:127.0.0.1"});
  const auto secure = *http::Server::Start(
      {.routes = {{"/data", [](const http::Request&) { return http::Response{.status = 200, .body = "secure"}; }},
                  {"/down", [this](const http::Request&) { return Redirect(302, url_ + "/data"); }}},
       .certificate_pem = own.certificate,
       .key_pem = own.key});
  const std::string url = absl::StrCat("https://127.0.0.1:", secure->port());
  const SourceOptions options{.allowed = Allow({"127.0.0.0/8"}), .tls = {.ca_pem = ca.certificate}};
  EXPECT_EQ(Read(url + "/data", options), "secure");
  EXPECT_THAT(Read(url + "/down", options),
              AllOf(HasSubstr("redirected from https to http://127.0.0.1"), HasSubstr("checksum")));
}

TEST(Source, ABrokenBodyIsNoEnd) {
  const RawServer server([](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  });
  EXPECT_THAT(Read(server.url() + "/x"), AllOf(HasSubstr("started, UNAVAILABLE"), HasSubstr("in the middle of the answer")));
}

TEST(Source, AsksForTheFileItself) {
  std::string request;
  const RawServer server([&request](RawServer::Peer& peer) {
    request = peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  EXPECT_EQ(Read(server.url()), "ok");
  EXPECT_THAT(request, AllOf(HasSubstr("GET / HTTP/1.1"), HasSubstr("Accept-Encoding: identity"), Not(HasSubstr("gzip"))));
}

TEST(Source, AStalledSourceIsGivenUp) {
  const RawServer server([](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    peer.AwaitEnd();
  });
  EXPECT_THAT(Read(server.url(), {.patience = absl::Milliseconds(200)}), HasSubstr("DEADLINE_EXCEEDED"));
}

TEST(Source, MessagesLeaveOutQueries) {
  EXPECT_EQ(WithoutQuery("https://a/b?c#d"), "https://a/b");
  EXPECT_EQ(WithoutQuery("https://a/b#d?c"), "https://a/b");
}

}  // namespace
}  // namespace kupen::kinds
