#include "provider/http/transport.h"

#include "gtest/gtest.h"
#include "provider/base/status.h"

namespace kupen::http {
namespace {

TEST(Find, IgnoresCaseAndTakesTheFirst) {
  const Headers headers = {{"Content-Type", "text/plain"}, {"retry-after", "3"}, {"Retry-After", "9"}};
  EXPECT_EQ(Find(headers, "Retry-After"), "3");
  EXPECT_EQ(Find(headers, "content-type"), "text/plain");
  EXPECT_EQ(Find(headers, "missing"), "");
}

TEST(NeverSent, SurvivesAnnotation) {
  const absl::Status refused = MarkNeverSent(absl::UnavailableError("connection refused"));
  EXPECT_TRUE(NeverSent(Annotate(refused, "create network")));
  EXPECT_FALSE(NeverSent(absl::UnavailableError("connection reset")));
  EXPECT_EQ(refused.message(), "connection refused");
}

}  // namespace
}  // namespace kupen::http
