#include "provider/openstack/catalog.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"

namespace kupen::openstack {
namespace {

using ::testing::ElementsAre;

Catalog ParseCatalog(absl::string_view text) {
  const absl::StatusOr<rapidjson::Document> document = json::Parse(text);
  return Catalog::Parse(*document);
}

constexpr char kCatalog[] = R"([
  {"type": "compute", "name": "nova", "endpoints": [
    {"interface": "admin", "region": "R1", "region_id": "R1", "url": "http://nova-admin"},
    {"interface": "internal", "region": "R1", "region_id": "R1", "url": "http://nova-internal"},
    {"interface": "public", "region": "R1", "region_id": "R1", "url": "http://nova-r1"},
    {"interface": "public", "region": "R2", "region_id": "R2", "url": "http://nova-r2"}]},
  {"type": "volumev2", "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://cinder/v2"}]},
  {"type": "volumev3", "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://cinder/v3"}]},
  {"type": "block-store", "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://cinder/store"}]},
  {"type": "sharev2", "endpoints": [{"interface": "public", "region": "R1", "url": "http://manila/v2"}]},
  {"type": "load-balancer", "endpoints": [{"interface": "public", "region_id": "R1", "url": ""}]}
])";

struct EndpointCase {
  const char* reason;
  const char* service;
  const char* region;
  const char* interface;
  // The URL, or the error.
  const char* result;
};

class Endpoint : public testing::TestWithParam<EndpointCase> {};

TEST_P(Endpoint, IsFound) {
  const EndpointCase& row = GetParam();
  const absl::StatusOr<std::string> endpoint = ParseCatalog(kCatalog).Endpoint(row.service, row.region, row.interface);
  EXPECT_EQ(endpoint.ok() ? *endpoint : std::string(endpoint.status().message()), row.result) << row.reason;
}

INSTANTIATE_TEST_SUITE_P(
    Catalog, Endpoint,
    testing::Values(
        EndpointCase{"by region and interface", "compute", "R2", "public", "http://nova-r2"},
        EndpointCase{"the interface that was asked for", "compute", "R1", "internal", "http://nova-internal"},
        EndpointCase{"without a region the first", "compute", "", "public", "http://nova-r1"},
        EndpointCase{"the official type finds an alias, the preferred first and never an older API", "block-storage", "R1",
                     "public", "http://cinder/v3"},
        EndpointCase{"an alias means the official type", "volumev3", "R1", "public", "http://cinder/v3"},
        EndpointCase{"region in place of region_id", "shared-file-system", "R1", "public", "http://manila/v2"},
        EndpointCase{
            "no fallback to another region", "compute", "R3", "public",
            "the cloud's catalog has no public endpoint of compute in region R3; it has: admin in region R1, internal in "
            "region R1, public in region R1, public in region R2"},
        EndpointCase{"no fallback to another interface", "block-storage", "R1", "internal",
                     "the cloud's catalog has no internal endpoint of block-storage in region R1; it has: public in region R1"},
        EndpointCase{
            "a service that is not there", "dns", "R1", "public",
            "the cloud's catalog has no public endpoint of dns in region R1; it has the services block-store, compute, "
            "sharev2, volumev2, volumev3"},
        EndpointCase{
            "an endpoint without a URL is none", "load-balancer", "", "public",
            "the cloud's catalog has no public endpoint of load-balancer; it has the services block-store, compute, sharev2, "
            "volumev2, volumev3"}));

TEST(Catalog, OfficialTypeBeatsAliases) {
  const Catalog catalog = ParseCatalog(R"([
    {"type": "volumev3", "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://old"}]},
    {"type": "block-storage", "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://new"}]}])");
  EXPECT_EQ(*catalog.Endpoint("block-storage", "R1", "public"), "http://new");
}

TEST(Catalog, EmptyOnesComeFromTokensWithoutAProject) {
  EXPECT_EQ(Catalog().Endpoint("compute", "", "public").status().message(),
            "the cloud's catalog has no public endpoint of compute: it is empty; give a project for the token to be for");
}

TEST(Catalog, ListsTypesAndRegions) {
  EXPECT_THAT(ParseCatalog(kCatalog).Regions(), ElementsAre("R1", "R2"));
  EXPECT_THAT(ParseCatalog(kCatalog).ServiceTypes(), ElementsAre("block-store", "compute", "sharev2", "volumev2", "volumev3"));
}

}  // namespace
}  // namespace kupen::openstack
