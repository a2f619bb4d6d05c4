#include "provider/kinds/image/upload.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/server.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/raw_server.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::kinds {
namespace {

using test::RawServer;
using ::testing::HasSubstr;

constexpr char kSha256OfData[] = "3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7";
constexpr char kSha512OfData[] =
    "77c7ce9a5d86bb386d443bb96390faa120633158699c8844c30b13ab0bf92760b7e4416aea397db91b4ac0e5dd56b8ef7e4b066162ab1fdc088319ce"
    "6defc876";

// A Glance with one image, and a source.
class UploadTest : public testing::Test {
 protected:
  UploadTest() {
    cloud_.Serve([this](const http::Request& request) { return Answer(request); });
  }

  absl::StatusOr<http::Response> Answer(const http::Request& request) {
    if (request.method == "GET") {
      return http::Response{.status = 200, .body = absl::StrCat(R"({"status": ")", status_, R"("})")};
    }
    ++puts_;
    if (refusal_.status != 0) return refusal_;
    std::string body;
    while (true) {
      const absl::StatusOr<std::string> piece = request.body_source();
      // As Glance sees it: no end of the body, so the image is queued as before.
      if (!piece.ok()) return piece.status();
      if (piece->empty()) break;
      absl::StrAppend(&body, *piece);
    }
    stored_ = body;
    status_ = "active";
    return http::Response{.status = 204};
  }

  absl::Status Upload(const ImageSource& source, absl::Duration patience = absl::Seconds(30),
                      const std::stop_token& stop = {}) {
    return UploadImage(session_, "image-1", source, {.patience = patience}, stop);
  }

  std::string status_ = "queued";
  http::Response refusal_;
  int puts_ = 0;
  std::string stored_ = "nothing";
  test::FakeClock clock_;
  test::FakeCloud cloud_;
  openstack::Session session_{cloud_.config(), cloud_.transports(), clock_};
  std::unique_ptr<http::Server> server_ = *http::Server::Start(
      {.routes = {{"/data", [](const http::Request&) { return http::Response{.status = 200, .body = "data"}; }},
                  {"/large",
                   [](const http::Request&) { return http::Response{.status = 200, .body = std::string(5'000'000, 'x')}; }}}});
  const std::string url_ = absl::StrCat("http://127.0.0.1:", server_->port());
};

TEST_F(UploadTest, SendsWhatTheSourceHas) {
  EXPECT_TRUE(Upload({.url = url_ + "/data"}).ok());
  EXPECT_EQ(stored_, "data");
  const http::Request put = cloud_.requests().back().request;
  EXPECT_EQ(put.method, "PUT");
  EXPECT_EQ(put.target, "/v2/images/image-1/file");
  EXPECT_EQ(put.content_type, "application/octet-stream");
}

TEST_F(UploadTest, ChecksTheSum) {
  EXPECT_TRUE(Upload({.url = url_ + "/data", .algorithm = "sha256", .checksum = kSha256OfData}).ok());
  EXPECT_EQ(stored_, "data");
  status_ = "queued";
  EXPECT_TRUE(Upload({.url = url_ + "/data", .algorithm = "sha512", .checksum = kSha512OfData}).ok());
}

TEST_F(UploadTest, AWrongSumIsNoEndOfTheBody) {
  const absl::Status status =
      Upload({.url = url_ + "/data?key=secret", .algorithm = "sha256", .checksum = std::string(64, '0')});
  EXPECT_EQ(status.message(),
            absl::StrCat("upload of the image's data: source.checksum: the data of ", url_, "/data has the sha256 ",
                         kSha256OfData, ", but ", std::string(64, '0'), " is expected; the cloud has kept nothing of it"));
  EXPECT_EQ(stored_, "nothing");
  EXPECT_EQ(status_, "queued");
}

TEST_F(UploadTest, ASourceThatBreaksOffIsNoEndOfTheBody) {
  const RawServer source([](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  });
  EXPECT_THAT(Upload({.url = source.url()}).message(), HasSubstr("in the middle of the answer"));
  EXPECT_EQ(stored_, "nothing");
}

TEST_F(UploadTest, AStalledSourceIsGivenUp) {
  const RawServer source([](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    peer.AwaitEnd();
  });
  EXPECT_TRUE(absl::IsDeadlineExceeded(Upload({.url = source.url()}, absl::Milliseconds(200))));
  EXPECT_EQ(stored_, "nothing");
}

TEST_F(UploadTest, NothingIsSentBeforeTheSourceAnswers) {
  EXPECT_THAT(Upload({.url = url_ + "/gone"}).message(), HasSubstr("answered with 404"));
  EXPECT_EQ(puts_, 0);
}

TEST_F(UploadTest, GlancesRefusalCounts) {
  refusal_ = {.status = 413, .body = "The storage quota is used up."};
  // More than fits between source and Glance.
  EXPECT_THAT(Upload({.url = url_ + "/large", .algorithm = "sha256", .checksum = std::string(64, '0')}).message(),
              HasSubstr("glance: 413"));
}

TEST_F(UploadTest, OnlyAQueuedImageTakesData) {
  status_ = "active";
  EXPECT_TRUE(Upload({.url = url_ + "/data"}).ok());
  status_ = "saving";
  EXPECT_THAT(Upload({.url = url_ + "/data"}).message(), HasSubstr("glance says that the image is saving"));
  EXPECT_EQ(puts_, 0);
}

TEST_F(UploadTest, UnknownSums) {
  EXPECT_TRUE(absl::IsInvalidArgument(Upload({.url = url_ + "/data", .algorithm = "md5", .checksum = "0"})));
  EXPECT_EQ(puts_, 0);
}

TEST_F(UploadTest, AStopBreaksOff) {
  std::stop_source stop;
  const RawServer source([&stop](RawServer::Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    stop.request_stop();
    peer.AwaitEnd();
  });
  EXPECT_TRUE(absl::IsCancelled(Upload({.url = source.url()}, absl::Seconds(30), stop.get_token())));
  EXPECT_EQ(stored_, "nothing");
}

TEST_F(UploadTest, ATokenThatIsNoLongerGoodIsRenewedFirst) {
  ASSERT_TRUE(Upload({.url = url_ + "/data"}).ok());
  status_ = "queued";
  cloud_.RevokeTokens();
  EXPECT_TRUE(Upload({.url = url_ + "/data"}).ok());
}

}  // namespace
}  // namespace kupen::kinds
