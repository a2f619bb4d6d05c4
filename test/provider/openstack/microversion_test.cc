#include "provider/openstack/microversion.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/fakes/fake_clock.h"

namespace kupen::openstack {
namespace {

std::string Served(absl::string_view document) {
  const absl::StatusOr<MicroversionRange> range = ParseVersionDocument(document);
  return range.ok() ? ToString(range->min) + "-" + ToString(range->max) : std::string(range.status().message());
}

TEST(Microversion, IsReadFromEachServicesDocument) {
  EXPECT_EQ(Served(R"({"version": {"id": "v2.1", "status": "CURRENT", "version": "2.93", "min_version": "2.1"}})"), "2.1-2.93")
      << "nova";
  EXPECT_EQ(
      Served(
          R"({"versions": [{"id": "v2.0", "version": "", "min_version": ""}, {"id": "v3.0", "version": "3.70", "min_version": "3.0"}]})"),
      "3.0-3.70")
      << "cinder";
  EXPECT_EQ(Served(R"({"versions": [{"id": "v1.0", "max_version": "1.39", "min_version": "1.0"}]})"), "1.0-1.39")
      << "placement";
  EXPECT_EQ(Served(R"({"versions": [{"id": "v2.0"}]})"), "the version document names no microversions") << "neutron";
  EXPECT_EQ(Served(R"({"version": {"id": "v2.0"}})"), "\"\" is not a microversion such as 2.79");
}

struct NegotiationCase {
  const char* reason;
  MicroversionRange wanted;
  MicroversionRange served;
  std::string result;
};

class Negotiation : public testing::TestWithParam<NegotiationCase> {};

TEST_P(Negotiation, Chooses) {
  const absl::StatusOr<Microversion> version = Negotiate("compute", GetParam().wanted, GetParam().served);
  EXPECT_EQ(version.ok() ? ToString(*version) : std::string(version.status().message()), GetParam().result)
      << GetParam().reason;
}

INSTANTIATE_TEST_SUITE_P(
    Microversion, Negotiation,
    testing::Values(NegotiationCase{"ours, of a newer service", {{2, 60}, {2, 96}}, {{2, 1}, {2, 104}}, "2.96"},
                    NegotiationCase{"its highest, of an older", {{2, 60}, {2, 96}}, {{2, 1}, {2, 93}}, "2.93"},
                    NegotiationCase{"numbers, not text", {{2, 9}, {2, 100}}, {{2, 1}, {2, 99}}, "2.99"},
                    NegotiationCase{"the lowest is enough", {{2, 60}, {2, 96}}, {{2, 1}, {2, 60}}, "2.60"},
                    NegotiationCase{"too old",
                                    {{2, 60}, {2, 96}},
                                    {{2, 1}, {2, 53}},
                                    "nova: serves the microversions 2.1 to 2.53, but one of 2.60 to 2.96 is needed"},
                    NegotiationCase{"too new",
                                    {{2, 60}, {2, 96}},
                                    {{2, 100}, {2, 120}},
                                    "nova: serves the microversions 2.100 to 2.120, but one of 2.60 to 2.96 is needed"}));

std::string HeaderFor(absl::string_view service, Microversion version) {
  http::Headers headers;
  AddMicroversion(service, version, &headers);
  return headers.size() == 1 ? headers[0].first + ": " + headers[0].second : "not one header";
}

TEST(Microversion, HeaderIsTheServices) {
  EXPECT_EQ(HeaderFor("compute", {2, 96}), "OpenStack-API-Version: compute 2.96");
  EXPECT_EQ(HeaderFor("compute", {2, 26}), "X-OpenStack-Nova-API-Version: 2.26") << "the other came with 2.27";
  EXPECT_EQ(HeaderFor("block-storage", {3, 60}), "OpenStack-API-Version: volume 3.60");
  EXPECT_EQ(HeaderFor("placement", {1, 39}), "OpenStack-API-Version: placement 1.39");
}

TEST(MicroversionCache, ForgetsAfterAnHour) {
  test::FakeClock clock;
  MicroversionCache cache(clock);
  EXPECT_FALSE(cache.Find("http://nova").has_value());
  cache.Keep("http://nova", {{2, 1}, {2, 93}});
  EXPECT_EQ(ToString(cache.Find("http://nova").value_or(MicroversionRange()).max), "2.93");
  EXPECT_FALSE(cache.Find("http://cinder").has_value());
  clock.Advance(absl::Minutes(59));
  EXPECT_TRUE(cache.Find("http://nova").has_value());
  clock.Advance(absl::Minutes(1));
  EXPECT_FALSE(cache.Find("http://nova").has_value());
}

}  // namespace
}  // namespace kupen::openstack
