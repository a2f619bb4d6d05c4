#include "provider/openstack/url.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen::openstack {
namespace {

std::string Parts(absl::string_view text) {
  const absl::StatusOr<Url> url = ParseUrl(text);
  return url.ok() ? absl::StrCat(url->origin, " ", url->path, " ", url->query) : std::string(url.status().message());
}

TEST(Url, HasOriginPathAndQuery) {
  EXPECT_EQ(Parts("http://nova:8774/v2.1/"), "http://nova:8774 /v2.1 ");
  EXPECT_EQ(Parts("https://[fd00::1]:443/a/b?marker=1&limit=2#x"), "https://[fd00::1]:443 /a/b marker=1&limit=2");
  EXPECT_EQ(Parts("http://neutron"), "http://neutron  ");
  EXPECT_EQ(Parts("http://h?a"), "http://h  a");
}

TEST(Url, RefusesOthers) {
  EXPECT_EQ(Parts("ftp://h"), "not an http or https URL: ftp://h");
  EXPECT_EQ(Parts("nova"), "not an http or https URL: nova");
  EXPECT_EQ(Parts("http:///x"), "URL without a host: http:///x");
  EXPECT_EQ(Parts("http://u:p@h/x"), "URL with a user name: leave that out");
}

TEST(Url, EncodesQueries) {
  EXPECT_EQ(EncodeQuery({{"name", "^a b&c$"}, {"id", "1"}, {"id", "2"}}), "name=%5Ea%20b%26c%24&id=1&id=2");
  EXPECT_EQ(EncodeQuery({}), "");
  EXPECT_EQ(PercentEncode("../ä~-._"), "..%2F%C3%A4~-._");
}

}  // namespace
}  // namespace kupen::openstack
