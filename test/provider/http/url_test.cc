#include "provider/http/url.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen::http {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ParseUrl, HasDefaultsAndDropsTheLastSlash) {
  const auto plain = ParseUrl("http://keystone.example/v3/");
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_FALSE(plain->tls);
  EXPECT_EQ(plain->host, "keystone.example");
  EXPECT_EQ(plain->port, 80);
  EXPECT_EQ(plain->path, "/v3");
  const auto secure = ParseUrl("HTTPS://[fd00::1]:6443");
  ASSERT_TRUE(secure.ok()) << secure.status();
  EXPECT_TRUE(secure->tls);
  EXPECT_EQ(secure->host, "fd00::1");
  EXPECT_EQ(secure->path, "");
  EXPECT_EQ(secure->Origin(), "https://[fd00::1]:6443");
  EXPECT_EQ(ParseUrl("https://a")->port, 443);
}

TEST(ParseUrl, SaysWhatIsWrong) {
  const auto message = [](absl::string_view text) { return std::string(ParseUrl(text).status().message()); };
  EXPECT_THAT(message("ftp://a"), HasSubstr("does not start with http:// or https://"));
  EXPECT_THAT(message("http:///x"), HasSubstr("has no host"));
  EXPECT_THAT(message("http://a:x"), HasSubstr("port is not a number"));
  EXPECT_THAT(message("http://a:70000"), HasSubstr("port is not a number"));
  EXPECT_THAT(message("http://[::1"), HasSubstr("without ']'"));
  EXPECT_THAT(message("http://a/?x=1"), HasSubstr("query"));
  EXPECT_THAT(message("http://me:s3cret@a"), Not(HasSubstr("s3cret")));
}

TEST(Escape, LeavesOnlyUnreservedCharacters) {
  EXPECT_EQ(Escape("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(Escape("app in (a,b)/ü"), "app%20in%20%28a%2Cb%29%2F%C3%BC");
}

}  // namespace
}  // namespace kupen::http
