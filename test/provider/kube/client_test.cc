#include "provider/kube/client.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "provider/kube/error.h"
#include "test/fakes/fake_transport.h"

namespace kupen::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Resource& ConfigMaps() {
  static const Resource* const kResource = new Resource{.version = "v1", .plural = "configmaps"};
  return *kResource;
}

const Resource& Networks() {
  static const Resource* const kResource =
      new Resource{.group = "network.m.kupenstack.io", .version = "v1alpha1", .plural = "networks"};
  return *kResource;
}

class KubeClientTest : public testing::Test {
 protected:
  http::Request Last() const { return transport_.requests().back(); }

  test::FakeTransport transport_;
  Client client_{transport_, "tester"};
};

TEST(ResourcePath, FollowsGroupAndScope) {
  EXPECT_EQ(ObjectPath(ConfigMaps(), {"a", "b"}), "/api/v1/namespaces/a/configmaps/b");
  EXPECT_EQ(ObjectPath(Networks(), {"a", "b"}, "status"),
            "/apis/network.m.kupenstack.io/v1alpha1/namespaces/a/networks/b/status");
  EXPECT_EQ(CollectionPath(ConfigMaps()), "/api/v1/configmaps");
  const Resource nodes{.version = "v1", .plural = "nodes", .namespaced = false};
  EXPECT_EQ(ObjectPath(nodes, {"", "system:x/y"}), "/api/v1/nodes/system%3Ax%2Fy");
  EXPECT_EQ(Networks().ToString(), "networks.v1alpha1.network.m.kupenstack.io");
}

TEST_F(KubeClientTest, GetsAnObject) {
  transport_.Reply(200, R"({"data":{"x":"1"}})");
  const auto object = client_.Get(ConfigMaps(), {"a", "b"}, {});
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_EQ(json::String(*object, {"data", "x"}), "1");
  EXPECT_EQ(Last().method, "GET");
}

TEST_F(KubeClientTest, ErrorsSayWhatWasBeingDone) {
  transport_.Reply(404, R"({"kind":"Status","message":"configmaps \"b\" not found","reason":"NotFound"})");
  const auto missing = client_.Get(ConfigMaps(), {"a", "b"}, {});
  EXPECT_TRUE(absl::IsNotFound(missing.status()));
  EXPECT_EQ(missing.status().message(), "get configmaps.v1 a/b: configmaps \"b\" not found (HTTP 404, NotFound)");
  EXPECT_EQ(Reason(missing.status()), "NotFound");

  transport_.ReplyError(http::MarkNeverSent(absl::UnavailableError("refused")));
  EXPECT_TRUE(http::NeverSent(client_.Create(ConfigMaps(), "a", "{}", {}).status()));

  transport_.Reply(200, "<html>");
  EXPECT_THAT(client_.Get(ConfigMaps(), {"a", "b"}, {}).status().message(), HasSubstr("not JSON"));
}

TEST_F(KubeClientTest, ListsAllPages) {
  transport_.Reply(200, R"({"metadata":{"continue":"a/b="},"items":[{"n":"1"},{"n":"2"}]})");
  transport_.Reply(200, R"({"metadata":{"resourceVersion":"7"},"items":[{"n":"3"}]})");
  std::vector<std::string> names;
  const absl::Status listed =
      client_.List(ConfigMaps(), {.ns = "a", .label_selector = "x in (1,2)", .field_selector = "metadata.name=b"},
                   [&](const rapidjson::Value& item) { names.emplace_back(json::String(item, {"n"})); }, {});
  ASSERT_TRUE(listed.ok()) << listed;
  EXPECT_THAT(names, ElementsAre("1", "2", "3"));
  const std::string first =
      "/api/v1/namespaces/a/configmaps?limit=500&labelSelector=x%20in%20%281%2C2%29&fieldSelector=metadata.name%3Db";
  EXPECT_EQ(transport_.requests()[0].target, first);
  EXPECT_EQ(transport_.requests()[1].target, first + "&continue=a%2Fb%3D");
}

TEST_F(KubeClientTest, AsksForMetadataAloneAndTakesNothingElse) {
  transport_.Reply(200, R"({"items":[]})");
  ASSERT_TRUE(client_.ListPage(ConfigMaps(), {.metadata_only = true}, "", {}).ok());
  EXPECT_EQ(http::Find(Last().headers, "Accept"), "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");

  transport_.ReplyStream({"{}"});
  const auto ignore = [](absl::string_view) { return true; };
  ASSERT_TRUE(client_.Watch(ConfigMaps(), {.metadata_only = true}, "", absl::Seconds(1), ignore, {}).ok());
  EXPECT_EQ(http::Find(Last().headers, "Accept"), "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");

  transport_.Reply(200, R"({"items":[]})");
  ASSERT_TRUE(client_.ListPage(ConfigMaps(), {}, "", {}).ok());
  EXPECT_EQ(http::Find(Last().headers, "Accept"), "");
}

TEST_F(KubeClientTest, Creates) {
  transport_.Reply(201, "{}");
  ASSERT_TRUE(client_.Create(ConfigMaps(), "a", R"({"x":1})", {}).ok());
  EXPECT_EQ(Last().method, "POST");
  EXPECT_EQ(Last().target, "/api/v1/namespaces/a/configmaps?fieldManager=tester");
  EXPECT_EQ(Last().body, R"({"x":1})");
}

TEST_F(KubeClientTest, AppliesTheStatusWithAPrecondition) {
  transport_.Reply(200, "{}");
  ASSERT_TRUE(
      client_
          .Apply(Networks(), {"a", "b"}, R"({"metadata":{"name":"b"}})", {.subresource = "status", .resource_version = "5"}, {})
          .ok());
  EXPECT_EQ(Last().method, "PATCH");
  EXPECT_THAT(Last().target, HasSubstr("/networks/b/status?fieldManager=tester&force=true"));
  EXPECT_EQ(Last().content_type, "application/apply-patch+yaml");
  EXPECT_EQ(Last().body, R"({"metadata":{"name":"b","resourceVersion":"5"}})");
}

TEST_F(KubeClientTest, MergePatchesWithAndWithoutPrecondition) {
  transport_.Reply(200, "{}");
  ASSERT_TRUE(client_.MergePatch(ConfigMaps(), {"a", "b"}, R"({"data":null})", {}, {}).ok());
  EXPECT_EQ(Last().body, R"({"data":null})");
  EXPECT_EQ(Last().content_type, "application/merge-patch+json");
  transport_.Reply(409, R"({"kind":"Status","reason":"Conflict"})");
  EXPECT_TRUE(
      IsConflict(client_.MergePatch(ConfigMaps(), {"a", "b"}, R"({"data":null})", {.resource_version = "5"}, {}).status()));
  EXPECT_EQ(Last().body, R"({"data":null,"metadata":{"resourceVersion":"5"}})");
  EXPECT_FALSE(client_.MergePatch(ConfigMaps(), {"a", "b"}, "[]", {.resource_version = "5"}, {}).ok());
}

TEST_F(KubeClientTest, JsonPatches) {
  transport_.Reply(422, R"({"kind":"Status","reason":"Invalid","message":"test failed"})");
  const auto patched = client_.JsonPatch(ConfigMaps(), {"a", "b"}, R"([{"op":"test"}])", "", {});
  EXPECT_TRUE(absl::IsInvalidArgument(patched.status()));
  EXPECT_EQ(Last().content_type, "application/json-patch+json");
  EXPECT_EQ(Last().target, "/api/v1/namespaces/a/configmaps/b?fieldManager=tester");
}

TEST_F(KubeClientTest, DeletesOnlyWhatItMeans) {
  transport_.Reply(200, "{}");
  ASSERT_TRUE(client_.Delete(ConfigMaps(), {"a", "b"}, {.uid = "u1", .propagation = "Background"}, {}).ok());
  EXPECT_EQ(Last().method, "DELETE");
  EXPECT_EQ(Last().body, R"({"propagationPolicy":"Background","preconditions":{"uid":"u1"}})");
  transport_.Reply(200, "{}");
  ASSERT_TRUE(client_.Delete(ConfigMaps(), {"a", "b"}, {}, {}).ok());
  EXPECT_EQ(Last().body, "{}");
}

}  // namespace
}  // namespace kupen::kube
