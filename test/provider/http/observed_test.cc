#include "provider/http/observed.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/fakes/fake_transport.h"

namespace kupen::http {
namespace {

using testing::ElementsAre;

class ObservedTransportTest : public testing::Test {
 protected:
  const std::shared_ptr<test::FakeTransport> inside_ = std::make_shared<test::FakeTransport>();
  std::vector<std::string> seen_;
  ObservedTransport transport_{inside_, [this](const Request& request, int status) {
                                 seen_.push_back(absl::StrCat(request.service, " ", request.method, " ", status));
                               }};
};

TEST_F(ObservedTransportTest, EachExchangeIsToldOnce) {
  inside_->Reply(201, "{}");
  inside_->Reply(409, "");
  inside_->ReplyError(absl::UnavailableError("refused"));
  EXPECT_EQ(transport_.Send({.method = "POST", .target = "/a", .service = "network"}, {})->status, 201);
  EXPECT_EQ(transport_.Send({.method = "PATCH", .target = "/b"}, {})->status, 409);
  EXPECT_TRUE(absl::IsUnavailable(transport_.Send({.target = "/c"}, {}).status()));
  EXPECT_THAT(seen_, ElementsAre("network POST 201", " PATCH 409", " GET 0"));
}

// Answers with a head, then a body that is cut off.
class CutStream final : public Transport {
 public:
  absl::StatusOr<Response> Send(const Request&, const std::stop_token&) override { return absl::UnimplementedError(""); }
  absl::StatusOr<Response> Stream(const Request&, const ResponseSink& on_head, const BodySink& on_body,
                                  const std::stop_token&) override {
    on_head({.status = 200});
    on_body("half a li");
    return absl::UnavailableError("cut");
  }
};

TEST(ObservedTransport, StreamIsToldWithItsHead) {
  std::vector<int> seen;
  size_t seen_before_the_body = 0;
  ObservedTransport transport(std::make_shared<CutStream>(), [&](const Request&, int status) { seen.push_back(status); });
  const auto on_body = [&](absl::string_view) {
    seen_before_the_body = seen.size();
    return true;
  };
  EXPECT_FALSE(transport.Stream({.target = "/watch"}, nullptr, on_body, {}).ok());
  EXPECT_EQ(seen_before_the_body, 1u);
  EXPECT_THAT(seen, ElementsAre(200));
}

TEST_F(ObservedTransportTest, StreamWithoutAnAnswerIsTold) {
  inside_->ReplyError(absl::UnavailableError("refused"));
  EXPECT_FALSE(transport_.Stream({.target = "/watch"}, nullptr, [](absl::string_view) { return true; }, {}).ok());
  EXPECT_THAT(seen_, ElementsAre(" GET 0"));
}

}  // namespace
}  // namespace kupen::http
