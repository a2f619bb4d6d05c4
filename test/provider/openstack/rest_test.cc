#include "provider/openstack/rest.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::openstack {
namespace {

using test::FakeCloud;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

RestSpec Networks() {
  return {.service = "network", .path = "/networks", .item_key = "network", .list_key = "networks", .page_size = 2};
}

RestSpec Images() {
  return {.service = "image",
          .path = "/images",
          .list_key = "images",
          .page_size = 2,
          .update_method = "PATCH",
          .update_content_type = "application/openstack-images-v2.1-json-patch"};
}

RestSpec Projects() {
  return {.service = "identity", .path = "/projects", .item_key = "project", .list_key = "projects", .page_size = 0};
}

class RestTest : public testing::Test {
 protected:
  // Answers by "METHOD target"; all others with 404.
  void Serve(std::map<std::string, http::Response> answers) {
    cloud_.Serve([answers = std::move(answers)](const http::Request& request) -> absl::StatusOr<http::Response> {
      const auto found = answers.find(absl::StrCat(request.method, " ", request.target));
      if (found != answers.end()) return found->second;
      return http::Response{.status = 404, .body = R"({"NeutronError": {"type": "NotFound", "message": "nothing here"}})"};
    });
  }

  // The ids in a list, or its error.
  std::vector<std::string> Ids(const RestSpec& spec, const Query& filters = {}) {
    std::vector<std::string> ids;
    const absl::Status status = Rest(session_, spec)
                                    .List(filters,
                                          [&ids](const rapidjson::Value& item) {
                                            ids.emplace_back(json::String(item, {"id"}));
                                            return absl::OkStatus();
                                          },
                                          {});
    if (!status.ok()) ids.push_back(status.ToString());
    return ids;
  }

  http::Request last() const { return cloud_.requests().back().request; }

  test::FakeClock clock_;
  FakeCloud cloud_;
  Session session_{cloud_.config(), cloud_.transports(), clock_};
};

std::string Text(const absl::StatusOr<rapidjson::Document>& document) {
  return document.ok() ? json::Write(*document) : document.status().ToString();
}

rapidjson::Document Parsed(absl::string_view text) { return *json::Parse(text); }

TEST_F(RestTest, CreatePutsTheObjectIntoItsEnvelope) {
  Serve({{"POST /v2.0/networks", {.status = 201, .body = R"({"network": {"id": "n1", "name": "a"}})"}}});
  EXPECT_EQ(Text(Rest(session_, Networks()).Create(Parsed(R"({"name": "a"})"), {})), R"({"id":"n1","name":"a"})");
  EXPECT_EQ(last().body, R"({"network":{"name":"a"}})");
}

TEST_F(RestTest, CreatePutsSomeMembersBesideTheEnvelope) {
  const RestSpec servers = {.service = "compute", .path = "/servers", .item_key = "server", .list_key = "servers"};
  Serve({{"POST /v2.1/servers", {.status = 202, .body = R"({"server": {"id": "s1"}})"}}});
  const rapidjson::Document hints = Parsed(R"({"os:scheduler_hints": {"group": "g1"}, "other": 1})");
  EXPECT_EQ(Text(Rest(session_, servers).Create(Parsed(R"({"name": "a"})"), {}, {.beside = &hints})), R"({"id":"s1"})");
  EXPECT_EQ(last().body, R"({"server":{"name":"a"},"os:scheduler_hints":{"group":"g1"},"other":1})");
  const rapidjson::Document nothing = Parsed("{}");
  EXPECT_TRUE(Rest(session_, servers).Create(Parsed(R"({"name": "a"})"), {}, {.beside = &nothing}).ok());
  EXPECT_EQ(last().body, R"({"server":{"name":"a"}})");
}

TEST_F(RestTest, GlanceHasNoEnvelope) {
  Serve({{"POST /v2/images", {.status = 201, .body = R"({"id": "i1"})"}},
         {"PATCH /v2/images/i1", {.status = 200, .body = R"({"id": "i1"})"}}});
  Rest images(session_, Images());
  EXPECT_EQ(Text(images.Create(Parsed(R"({"name": "a"})"), {})), R"({"id":"i1"})");
  EXPECT_EQ(last().body, R"({"name":"a"})");
  EXPECT_EQ(Text(images.Update("i1", Parsed(R"([{"op": "remove", "path": "/x"}])"), {})), R"({"id":"i1"})");
  EXPECT_EQ(last().body, R"([{"op":"remove","path":"/x"}])");
  EXPECT_EQ(last().content_type, "application/openstack-images-v2.1-json-patch");
}

TEST_F(RestTest, GetUpdateAndDelete) {
  Serve({{"GET /v2.0/networks/n1", {.status = 200, .body = R"({"network": {"id": "n1"}})"}},
         {"PUT /v2.0/networks/n1", {.status = 200, .body = R"({"network": {"id": "n1", "name": "b"}})"}},
         {"DELETE /v2.0/networks/n1", {.status = 204}}});
  Rest networks(session_, Networks());
  EXPECT_EQ(Text(networks.Get("n1", {})), R"({"id":"n1"})");
  EXPECT_EQ(Text(networks.Update("n1", Parsed(R"({"name": "b"})"), {}, {.headers = {{"If-Match", "revision_number=3"}}})),
            R"({"id":"n1","name":"b"})");
  EXPECT_EQ(http::Find(last().headers, "If-Match"), "revision_number=3");
  EXPECT_TRUE(networks.Delete("n1", {}).ok());
  EXPECT_EQ(networks.Get("n2", {}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(networks.Delete("n2", {}).code(), absl::StatusCode::kNotFound);
}

TEST_F(RestTest, CallsWhatIsBelowAnObject) {
  Serve({{"PUT /v2.0/networks/n1/tags", {.status = 200, .body = R"({"tags": ["b"]})"}},
         {"DELETE /v2.0/networks/n1/tags/a%2Fb", {.status = 204}}});
  Rest networks(session_, Networks());
  const rapidjson::Document tags = Parsed(R"({"tags": ["b"]})");
  EXPECT_EQ(Text(networks.Call("PUT", "n1", "tags", &tags, {}, {.operation_id = "req-1"})), R"({"tags":["b"]})");
  EXPECT_EQ(last().body, R"({"tags":["b"]})");
  EXPECT_EQ(http::Find(last().headers, "X-Openstack-Request-Id"), "req-1");
  EXPECT_EQ(Text(networks.Call("DELETE", "n1", "tags/a%2Fb", nullptr, {})), "null");
  EXPECT_EQ(last().body, "");
  EXPECT_EQ(networks.Call("PUT", "n2", "tags", &tags, {}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(networks.Call("PUT", "..", "tags", &tags, {}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(RestTest, AnswerWithoutABodyIsNull) {
  Serve({{"PUT /v2.0/networks/n1", {.status = 202}}});
  EXPECT_EQ(Text(Rest(session_, Networks()).Update("n1", Parsed("{}"), {})), "null");
}

TEST_F(RestTest, IdsCannotLeaveTheCollection) {
  Serve({});
  Rest networks(session_, Networks());
  EXPECT_EQ(networks.Get("a/../../x?y", {}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(last().target, "/v2.0/networks/a%2F..%2F..%2Fx%3Fy");
  for (const char* id : {"", ".", ".."}) EXPECT_EQ(networks.Delete(id, {}).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(RestTest, AnswersOfAnotherShapeAreErrors) {
  Serve({{"GET /v2.0/networks/n1", {.status = 200, .body = "<html>"}},
         {"GET /v2.0/networks/n2", {.status = 200, .body = R"({"other": {}})"}},
         {"GET /v2.0/networks?limit=2", {.status = 200, .body = R"({"networks": {}})"}}});
  EXPECT_THAT(Text(Rest(session_, Networks()).Get("n1", {})), HasSubstr("neutron: answered with not JSON"));
  EXPECT_THAT(Text(Rest(session_, Networks()).Get("n2", {})), HasSubstr("neutron: answered without \"network\""));
  EXPECT_THAT(Ids(Networks()), ElementsAre(HasSubstr("neutron: answered without the list \"networks\"")));
}

TEST_F(RestTest, ListFollowsNeutronsLinks) {
  // The link's host is what Neutron thinks it is called, behind a proxy.
  Serve({{"GET /v2.0/networks?name=x%20y&limit=2",
          {.status = 200, .body = R"({"networks": [{"id": "1"}, {"id": "2"}], "networks_links": [
                      {"rel": "previous", "href": "http://x/?no"},
                      {"rel": "next", "href": "http://internal:9696/v2.0/networks?name=x+y&limit=2&marker=2"}]})"}},
         {"GET /v2.0/networks?name=x+y&limit=2&marker=2", {.status = 200, .body = R"({"networks": [{"id": "3"}]})"}}});
  EXPECT_THAT(Ids(Networks(), {{"name", "x y"}}), ElementsAre("1", "2", "3"));
  const std::vector<FakeCloud::Seen> seen = cloud_.requests();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(http::Find(seen[0].request.headers, "X-Openstack-Request-Id"),
            http::Find(seen[1].request.headers, "X-Openstack-Request-Id"));
}

TEST_F(RestTest, ListFollowsGlancesNext) {
  Serve({{"GET /v2/images?limit=2",
          {.status = 200, .body = R"({"images": [{"id": "1"}], "next": "/v2/images?limit=2&marker=1"})"}},
         {"GET /v2/images?limit=2&marker=1", {.status = 200, .body = R"({"images": [{"id": "2"}], "first": "/v2/images"})"}}});
  EXPECT_THAT(Ids(Images()), ElementsAre("1", "2"));
}

TEST_F(RestTest, ListFollowsLinksNext) {
  Serve({{"GET /v3/projects",
          {.status = 200, .body = R"({"projects": [{"id": "1"}], "links": {"next": "http://k/v3/projects?page=2"}})"}},
         {"GET /v3/projects?page=2", {.status = 200, .body = R"({"projects": [{"id": "2"}], "links": {"next": null}})"}}});
  EXPECT_THAT(Ids(Projects()), ElementsAre("1", "2"));
}

TEST_F(RestTest, ListMayBeAtAnotherPath) {
  Serve(
      {{"GET /v2.1/servers/detail?limit=500",
        {.status = 200,
         .body =
             R"({"servers": [{"id": "1"}], "servers_links": [{"rel": "next", "href": "http://n/v2.1/servers/detail?limit=500&marker=1"}]})"}},
       {"GET /v2.1/servers/detail?limit=500&marker=1", {.status = 200, .body = R"({"servers": []})"}}});
  EXPECT_THAT(Ids({.service = "compute", .path = "/servers", .list_key = "servers", .list_path = "/servers/detail"}),
              ElementsAre("1"));
}

TEST_F(RestTest, ListTakesObjectsOutOfAnEnvelopeOfTheirOwn) {
  const RestSpec key_pairs = {
      .service = "compute", .path = "/os-keypairs", .item_key = "keypair", .list_key = "keypairs", .page_size = 0};
  Serve({{"GET /v2.1/os-keypairs",
          {.status = 200, .body = R"({"keypairs": [{"keypair": {"id": "1"}}, {"id": "2", "keypair": {"id": "inner"}}]})"}}});
  EXPECT_THAT(Ids(key_pairs), ElementsAre("1", "2")) << "a member of that name among others is no envelope";
}

TEST_F(RestTest, TruncatedListIsNoList) {
  Serve({{"GET /v3/projects", {.status = 200, .body = R"({"projects": [{"id": "1"}], "truncated": true, "links": {}})"}}});
  EXPECT_THAT(Ids(Projects()), ElementsAre("1", HasSubstr("keystone: cuts its lists short")));
}

TEST_F(RestTest, MarkerThatIsGoneMeansStartAgain) {
  Serve({{"GET /v2.0/networks?limit=2",
          {.status = 200,
           .body = R"({"networks": [{"id": "1"}], "networks_links": [{"rel": "next", "href": "http://x?marker=1"}]})"}},
         {"GET /v2.0/networks?marker=1", {.status = 400, .body = R"({"NeutronError": "marker 1 could not be found"})"}}});
  EXPECT_THAT(Ids(Networks()), ElementsAre("1", "ABORTED: neutron: 400 marker 1 could not be found"));
}

TEST_F(RestTest, ErrorOfTheFirstPageIsTheLists) {
  Serve({});
  EXPECT_THAT(Ids(Networks()), ElementsAre(HasSubstr("NOT_FOUND: neutron: 404 nothing here")));
}

TEST_F(RestTest, LinkToItselfEnds) {
  Serve({{"GET /v2.0/networks?limit=2",
          {.status = 200, .body = R"({"networks": [], "networks_links": [{"rel": "next", "href": "http://x?limit=2"}]})"}}});
  EXPECT_THAT(Ids(Networks()), ElementsAre(HasSubstr("leads to itself")));
}

TEST_F(RestTest, SinksErrorEndsTheList) {
  Serve({{"GET /v2.0/networks?limit=2",
          {.status = 200,
           .body = R"({"networks": [{"id": "1"}], "networks_links": [{"rel": "next", "href": "http://x?marker=1"}]})"}}});
  const absl::Status status =
      Rest(session_, Networks()).List({}, [](const rapidjson::Value&) { return absl::AlreadyExistsError("two of them"); }, {});
  EXPECT_EQ(status.message(), "two of them");
  EXPECT_EQ(cloud_.requests().size(), 1U);
}

}  // namespace
}  // namespace kupen::openstack
