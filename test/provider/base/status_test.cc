#include "provider/base/status.h"

#include <string>

#include "absl/strings/cord.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen {
namespace {

TEST(Annotate, PutsTheContextInFront) {
  const absl::Status status = Annotate(absl::NotFoundError("no such flavor"), "flavorName \"m1.huge\"");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "flavorName \"m1.huge\": no such flavor");
}

TEST(Annotate, LeavesOkAlone) { EXPECT_TRUE(Annotate(absl::OkStatus(), "anything").ok()); }

TEST(Annotate, KeepsPayloads) {
  absl::Status status = absl::UnavailableError("try later");
  status.SetPayload("request-id", absl::Cord("req-1"));
  EXPECT_EQ(Annotate(status, "nova").GetPayload("request-id"), absl::Cord("req-1"));
}

absl::Status FirstFailing(const absl::Status& first, const absl::Status& second) {
  RETURN_IF_ERROR(first);
  RETURN_IF_ERROR(second);
  return absl::OkStatus();
}

TEST(ReturnIfError, StopsAtTheFirstError) {
  EXPECT_TRUE(FirstFailing(absl::OkStatus(), absl::OkStatus()).ok());
  EXPECT_EQ(FirstFailing(absl::AbortedError("1"), absl::NotFoundError("2")).message(), "1");
  EXPECT_EQ(FirstFailing(absl::OkStatus(), absl::NotFoundError("2")).message(), "2");
}

absl::StatusOr<std::string> Joined(absl::StatusOr<std::string> first, absl::StatusOr<std::string> second) {
  ASSIGN_OR_RETURN(const std::string a, std::move(first));
  ASSIGN_OR_RETURN(const std::string b, std::move(second));
  return a + b;
}

TEST(AssignOrReturn, UnwrapsOrReturnsTheError) {
  EXPECT_EQ(Joined(std::string("a"), std::string("b")).value(), "ab");
  EXPECT_EQ(Joined(std::string("a"), absl::NotFoundError("b is gone")).status().message(), "b is gone");
}

}  // namespace
}  // namespace kupen
