// Collections of the real services: each one's pages, envelopes and microversions.
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "provider/openstack/error.h"
#include "test/e2e/openstack/real_cloud.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

using openstack::Microversion;
using openstack::MicroversionRange;
using openstack::Query;
using openstack::Rest;
using openstack::RestSpec;
using openstack::Session;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAreArray;

RestSpec Networks() {
  return {.service = "network", .path = "/networks", .item_key = "network", .list_key = "networks", .page_size = 1};
}

class RealCollections : public RealOpenStack {
 protected:
  absl::StatusOr<std::set<std::string>> Ids(Session& session, const RestSpec& spec, const Query& filters = {}) {
    std::set<std::string> ids;
    RETURN_IF_ERROR(Rest(session, spec)
                        .List(filters,
                              [&ids](const rapidjson::Value& item) {
                                ids.emplace(json::String(item, {"id"}));
                                return absl::OkStatus();
                              },
                              {}));
    return ids;
  }

  // Creates as many, lists them in pages of one, and expects the same.
  void CreateAndList(const RestSpec& spec, int count, const std::string& body, const Query& filters) {
    Rest rest(demo_, spec);
    std::set<std::string> created;
    for (int i = 0; i < count; ++i) {
      ASSERT_OK_AND_ASSIGN(const rapidjson::Document object, rest.Create(Json(body), {}));
      created.emplace(json::String(object, {"id"}));
      CleanUp(demo_, spec.service, absl::StrCat(spec.path, "/", json::String(object, {"id"})));
    }
    ASSERT_OK_AND_ASSIGN(const std::set<std::string> listed, Ids(demo_, spec, filters));
    EXPECT_THAT(listed, IsSupersetOf(created));
  }
};

TEST_F(RealCollections, NetworkFromCreateToDelete) {
  Rest networks(demo_, Networks());
  const std::string name = ScratchName("network");
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document created,
                       networks.Create(Json(absl::StrCat(R"({"name": ")", name, R"(", "description": "ä & ö"})")), {}));
  const std::string id(json::String(created, {"id"}));
  CleanUp(demo_, "network", "/networks/" + id);
  EXPECT_EQ(json::String(created, {"name"}), name);

  ASSERT_OK_AND_ASSIGN(const rapidjson::Document updated, networks.Update(id, Json(R"({"description": "other"})"), {}));
  EXPECT_EQ(json::String(updated, {"description"}), "other");
  const absl::Status stale =
      networks.Update(id, Json(R"({"description": "late"})"), {}, {.headers = {{"If-Match", "revision_number=1"}}}).status();
  EXPECT_EQ(stale.code(), absl::StatusCode::kAborted) << stale;

  ASSERT_OK_AND_ASSIGN(const rapidjson::Document seen, networks.Get(id, {}));
  EXPECT_EQ(json::String(seen, {"description"}), "other");
  ASSERT_OK(networks.Delete(id, {}));
  EXPECT_TRUE(absl::IsNotFound(networks.Get(id, {}).status()));
  EXPECT_TRUE(absl::IsNotFound(networks.Delete(id, {})));
}

TEST_F(RealCollections, NeutronsPages) {
  const std::string description = ScratchName("kpn:pages & more");
  CreateAndList(Networks(), 3, absl::StrCat(R"({"name": "pages", "description": ")", description, R"("})"),
                {{"description", description}});
}

TEST_F(RealCollections, GlancesPages) {
  const std::string tag = ScratchName("pages");
  CreateAndList({.service = "image", .path = "/images", .list_key = "images", .page_size = 1}, 3,
                absl::StrCat(R"({"name": "pages", "tags": [")", tag, R"("]})"), {{"tag", tag}});
}

TEST_F(RealCollections, CindersPages) {
  CreateAndList({.service = "block-storage",
                 .path = "/volumes",
                 .item_key = "volume",
                 .list_key = "volumes",
                 .list_path = "/volumes/detail",
                 .page_size = 1,
                 .microversions = {{{3, 0}, {3, 60}}}},
                2, R"({"name": "pages", "size": 1})", {});
}

TEST_F(RealCollections, NovasPages) {
  const RestSpec flavors = {.service = "compute",
                            .path = "/flavors",
                            .item_key = "flavor",
                            .list_key = "flavors",
                            .list_path = "/flavors/detail",
                            .page_size = 1,
                            .microversions = {{{2, 60}, {2, 96}}}};
  ASSERT_OK_AND_ASSIGN(const std::set<std::string> one_by_one, Ids(demo_, flavors));
  EXPECT_GE(one_by_one.size(), 2U);
  RestSpec at_once = flavors;
  at_once.page_size = 1000;
  ASSERT_OK_AND_ASSIGN(const std::set<std::string> all, Ids(demo_, at_once));
  EXPECT_THAT(one_by_one, UnorderedElementsAreArray(all));
}

TEST_F(RealCollections, KeystonesAndOctaviasLists) {
  ASSERT_OK_AND_ASSIGN(const std::set<std::string> projects,
                       Ids(admin_, {.service = "identity", .path = "/projects", .list_key = "projects", .page_size = 0}));
  EXPECT_GE(projects.size(), 2U);
  ASSERT_OK(
      Ids(demo_, {.service = "load-balancer", .path = "/lbaas/loadbalancers", .list_key = "loadbalancers", .page_size = 1})
          .status());
}

TEST_F(RealCollections, MicroversionsAreNegotiated) {
  ASSERT_OK_AND_ASSIGN(const MicroversionRange nova, demo_.ServedMicroversions("compute", {}));
  EXPECT_EQ(nova.min, (Microversion{2, 1}));
  EXPECT_GE(nova.max, (Microversion{2, 90}));
  ASSERT_OK_AND_ASSIGN(const MicroversionRange cinder, demo_.ServedMicroversions("block-storage", {}));
  EXPECT_EQ(cinder.min, (Microversion{3, 0}));
  EXPECT_GE(cinder.max, (Microversion{3, 60}));
  ASSERT_OK_AND_ASSIGN(const MicroversionRange placement, admin_.ServedMicroversions("placement", {}));
  EXPECT_GE(placement.max, (Microversion{1, 30}));

  ASSERT_OK_AND_ASSIGN(const http::Response servers,
                       demo_.Send({.service = "compute", .path = "/servers", .microversions = {{{2, 60}, {2, 1000}}}}, {}));
  EXPECT_EQ(http::Find(servers.headers, "OpenStack-API-Version"), "compute " + openstack::ToString(nova.max));
  ASSERT_OK_AND_ASSIGN(const http::Response volumes,
                       demo_.Send({.service = "block-storage", .path = "/volumes", .microversions = {{{3, 0}, {3, 50}}}}, {}));
  EXPECT_EQ(http::Find(volumes.headers, "OpenStack-API-Version"), "volume 3.50");
}

TEST_F(RealCollections, OldNovaHeaderIsUnderstood) {
  ASSERT_OK_AND_ASSIGN(const http::Response servers,
                       demo_.Send({.service = "compute", .path = "/servers", .microversions = {{{2, 1}, {2, 20}}}}, {}));
  EXPECT_EQ(http::Find(servers.headers, "X-OpenStack-Nova-API-Version"), "2.20");
}

}  // namespace
}  // namespace kupen::test
