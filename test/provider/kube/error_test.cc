#include "provider/kube/error.h"

#include "gtest/gtest.h"
#include "provider/json/json.h"

namespace kupen::kube {
namespace {

absl::Status Refused(int code, const std::string& reason = "") {
  return ErrorOf({.status = code,
                  .body = R"({"kind":"Status","message":"no such thing","reason":")" + reason + R"(","code":)" +
                          std::to_string(code) + "}"});
}

TEST(ErrorOf, TellsRefusalsApart) {
  EXPECT_TRUE(ErrorOf({.status = 201}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Refused(400)));
  EXPECT_TRUE(absl::IsInvalidArgument(Refused(422)));
  EXPECT_TRUE(absl::IsUnauthenticated(Refused(401)));
  EXPECT_TRUE(absl::IsPermissionDenied(Refused(403)));
  EXPECT_TRUE(absl::IsNotFound(Refused(404)));
  EXPECT_TRUE(absl::IsUnimplemented(Refused(405)));
  EXPECT_TRUE(absl::IsAlreadyExists(Refused(409, "AlreadyExists")));
  EXPECT_TRUE(IsConflict(Refused(409, "Conflict")));
  EXPECT_TRUE(IsExpired(Refused(410, "Expired")));
  EXPECT_TRUE(absl::IsResourceExhausted(Refused(429)));
  EXPECT_TRUE(absl::IsDeadlineExceeded(Refused(504)));
  EXPECT_TRUE(absl::IsUnavailable(Refused(500)));
  EXPECT_TRUE(absl::IsUnavailable(Refused(302)));
}

TEST(ErrorOf, KeepsTheServersWords) {
  const absl::Status status = Refused(404, "NotFound");
  EXPECT_EQ(status.message(), "no such thing (HTTP 404, NotFound)");
  EXPECT_EQ(Reason(status), "NotFound");
  EXPECT_EQ(Reason(absl::NotFoundError("")), "");
}

TEST(ErrorOf, ReadsOtherBodiesToo) {
  EXPECT_EQ(ErrorOf({.status = 404, .body = "404 page not found\n"}).message(), "HTTP 404: 404 page not found");
  EXPECT_EQ(ErrorOf({.status = 502}).message(), "HTTP 502");
  EXPECT_LT(ErrorOf({.status = 502, .body = std::string(100'000, 'x')}).message().size(), 300);
}

TEST(RetryAfter, ComesFromHeaderOrBody) {
  EXPECT_EQ(RetryAfter(ErrorOf({.status = 429, .headers = {{"Retry-After", "7"}}})), absl::Seconds(7));
  EXPECT_EQ(RetryAfter(ErrorOf({.status = 429, .body = R"({"kind":"Status","details":{"retryAfterSeconds":3}})"})),
            absl::Seconds(3));
  EXPECT_EQ(RetryAfter(Refused(429)), std::nullopt);
}

TEST(ErrorOfStatusObject, IsWhatAWatchSends) {
  const auto status = json::Parse(R"({"kind":"Status","code":410,"reason":"Expired","message":"too old resource version"})");
  ASSERT_TRUE(status.ok());
  EXPECT_TRUE(IsExpired(ErrorOfStatusObject(*status)));
}

}  // namespace
}  // namespace kupen::kube
