// The client on a real API server.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/url.h"
#include "provider/json/json.h"
#include "provider/kube/client.h"
#include "provider/kube/config.h"
#include "provider/kube/error.h"
#include "test/provider/kube/real_cluster.h"

namespace kupen::kube {
namespace {

using testing::HasSubstr;

class ClientClusterTest : public RealClusterTest {};

TEST_F(ClientClusterTest, TheKubeconfigsCertificateIsUsedOverTls) {
  EXPECT_FALSE(config_.tls.ca_pem.empty());
  EXPECT_FALSE(config_.tls.certificate_pem.empty());
  const Resource namespaces{.version = "v1", .plural = "namespaces", .namespaced = false};
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document found, client_->Get(namespaces, {"", ns()}, {}));
  EXPECT_EQ(json::String(found, {"metadata", "name"}), ns());

  Config nobody = config_;
  nobody.tls.certificate_pem.clear();
  nobody.tls.key_pem.clear();
  ASSERT_OK_AND_ASSIGN(const auto transport, Connect(nobody));
  const absl::Status refused = Client(*transport, "nobody").Get(namespaces, {"", ns()}, {}).status();
  EXPECT_TRUE(absl::IsPermissionDenied(refused) || absl::IsUnauthenticated(refused)) << refused;
}

TEST_F(ClientClusterTest, CreatesReadsPatchesDeletes) {
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document created, client_->Create(config_maps_, ns(), ConfigMap("a", "1"), {}));
  EXPECT_TRUE(absl::IsAlreadyExists(client_->Create(config_maps_, ns(), ConfigMap("a", "1"), {}).status()));
  const absl::Status invalid = client_->Create(config_maps_, ns(), ConfigMap("Not_A_Name", "1"), {}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(invalid)) << invalid;
  EXPECT_EQ(Reason(invalid), "Invalid");

  // A version that was replaced since.
  const std::string old(json::String(created, {"metadata", "resourceVersion"}));
  ASSERT_OK(
      client_->MergePatch(config_maps_, {ns(), "a"}, R"({"data":{"value":"2"}})", {.resource_version = old}, {}).status());
  const absl::Status stale =
      client_->MergePatch(config_maps_, {ns(), "a"}, R"({"data":{"value":"3"}})", {.resource_version = old}, {}).status();
  EXPECT_TRUE(IsConflict(stale)) << stale;

  ASSERT_OK(
      client_
          ->JsonPatch(config_maps_, {ns(), "a"},
                      R"([{"op":"test","path":"/data/value","value":"2"},{"op":"replace","path":"/data/value","value":"4"}])",
                      "", {})
          .status());
  const absl::Status failed =
      client_
          ->JsonPatch(config_maps_, {ns(), "a"},
                      R"([{"op":"test","path":"/data/value","value":"2"},{"op":"remove","path":"/data"}])", "", {})
          .status();
  EXPECT_TRUE(absl::IsInvalidArgument(failed)) << failed;
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document now, client_->Get(config_maps_, {ns(), "a"}, {}));
  EXPECT_EQ(json::String(now, {"data", "value"}), "4");

  const absl::Status other = client_->Delete(config_maps_, {ns(), "a"}, {.uid = "00000000-0000-0000-0000-000000000000"}, {});
  EXPECT_TRUE(IsConflict(other)) << other;
  ASSERT_OK(client_->Delete(config_maps_, {ns(), "a"}, {.uid = std::string(json::String(now, {"metadata", "uid"}))}, {}));
  EXPECT_TRUE(absl::IsNotFound(client_->Get(config_maps_, {ns(), "a"}, {}).status()));
}

TEST_F(ClientClusterTest, AppliesWhatItOwns) {
  const Client other(*transport_, "other");
  ASSERT_OK(client_->Apply(config_maps_, {ns(), "a"}, ConfigMap("a", "1"), {}, {}).status());
  ASSERT_OK(other
                .Apply(config_maps_, {ns(), "a"},
                       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"theirs":"x"}})", {}, {})
                .status());
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document both, client_->Apply(config_maps_, {ns(), "a"}, ConfigMap("a", "2"), {}, {}));
  EXPECT_EQ(json::String(both, {"data", "value"}), "2");
  EXPECT_EQ(json::String(both, {"data", "theirs"}), "x");
  // What is no longer applied goes; what others own stays.
  ASSERT_OK_AND_ASSIGN(
      const rapidjson::Document less,
      client_->Apply(config_maps_, {ns(), "a"}, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})", {}, {}));
  EXPECT_EQ(json::Find(less, {"data", "value"}), nullptr);
  EXPECT_EQ(json::String(less, {"data", "theirs"}), "x");
  // A field that another manager owns is taken over.
  ASSERT_OK(other.Apply(config_maps_, {ns(), "a"}, ConfigMap("a", "5"), {}, {}).status());
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document taken, client_->Apply(config_maps_, {ns(), "a"}, ConfigMap("a", "6"), {}, {}));
  EXPECT_EQ(json::String(taken, {"data", "value"}), "6");
  const absl::Status stale =
      client_->Apply(config_maps_, {ns(), "a"}, ConfigMap("a", "7"), {.resource_version = "1"}, {}).status();
  EXPECT_TRUE(IsConflict(stale)) << stale;
}

TEST_F(ClientClusterTest, AppliesAStatus) {
  const Resource claims{.version = "v1", .plural = "persistentvolumeclaims"};
  const std::string head = R"("apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"a"})";
  ASSERT_OK(
      client_
          ->Create(claims, ns(),
                   absl::StrCat("{", head,
                                R"(,"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})"),
                   {})
          .status());
  ASSERT_OK_AND_ASSIGN(
      const rapidjson::Document applied,
      client_->Apply(claims, {ns(), "a"}, absl::StrCat("{", head, R"(,"status":{"capacity":{"storage":"7Gi"}}})"),
                     {.subresource = "status"}, {}));
  EXPECT_EQ(json::String(applied, {"status", "capacity", "storage"}), "7Gi");
}

TEST_F(ClientClusterTest, ListsSeveralPages) {
  for (int i = 0; i < 510; ++i) {
    const std::string manifest = absl::Substitute(
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m-$0","labels":{"part":"$1"}}})", i, i % 2);
    ASSERT_OK(client_->Create(config_maps_, ns(), manifest, {}).status());
  }
  std::set<std::string> names;
  ASSERT_OK(client_->List(config_maps_, {.ns = ns(), .label_selector = "part in (0,1)"},
                          [&](const rapidjson::Value& item) { names.emplace(json::String(item, {"metadata", "name"})); }, {}));
  EXPECT_EQ(names.size(), 510);
  ASSERT_OK_AND_ASSIGN(const Page first, client_->ListPage(config_maps_, {.ns = ns()}, "", {}));
  EXPECT_FALSE(first.continue_token.empty());
}

TEST_F(ClientClusterTest, AnUnknownResourceIsNotFound) {
  const Resource unknown{.group = "no.such.group", .version = "v1", .plural = "things"};
  EXPECT_TRUE(absl::IsNotFound(client_->ListPage(unknown, {}, "", {}).status()));
}

// As in a pod: a token, and the files of a service account; then another account's token takes its place.
TEST_F(ClientClusterTest, AServiceAccountsTokenIsReadAgainWhenItChanges) {
  for (const char* account : {"first", "second"})
    ASSERT_OK(test::Kubectl({"create", "serviceaccount", account, "-n", ns()}).status());
  const std::filesystem::path directory = testing::TempDir() + "/" + ns();
  std::filesystem::create_directories(directory);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(directory / "new") << text;
    std::filesystem::rename(directory / "new", directory / name);
  };
  const auto take_token = [&](const char* account) {
    const auto token = test::Kubectl({"create", "token", account, "-n", ns()});
    EXPECT_TRUE(token.ok()) << token.status();
    write("token", token.value_or(""));
  };
  write("ca.crt", config_.tls.ca_pem);
  write("namespace", ns());
  ASSERT_OK_AND_ASSIGN(const http::Url url, http::ParseUrl(config_.server));
  setenv("KUBERNETES_SERVICE_HOST", url.host.c_str(), 1);
  setenv("KUBERNETES_SERVICE_PORT", absl::StrCat(url.port).c_str(), 1);
  ASSERT_OK_AND_ASSIGN(const Config config, LoadInCluster(directory));
  EXPECT_EQ(config.ns, ns());
  take_token("first");
  ASSERT_OK_AND_ASSIGN(const auto transport, Connect(config));
  const Client client(*transport, "pod");

  const Resource reviews{
      .group = "authentication.k8s.io", .version = "v1", .plural = "selfsubjectreviews", .namespaced = false};
  const auto who = [&] {
    const auto review =
        client.Create(reviews, "", R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})", {});
    return review.ok() ? std::string(json::String(*review, {"status", "userInfo", "username"})) : review.status().ToString();
  };
  EXPECT_EQ(who(), absl::StrCat("system:serviceaccount:", ns(), ":first"));
  take_token("second");
  EXPECT_EQ(who(), absl::StrCat("system:serviceaccount:", ns(), ":second"));
  const absl::Status forbidden = client.Get(config_maps_, {ns(), "kube-root-ca.crt"}, {}).status();
  EXPECT_TRUE(absl::IsPermissionDenied(forbidden)) << forbidden;
  EXPECT_THAT(forbidden.message(), HasSubstr("second"));
  write("token", "nonsense");
  EXPECT_TRUE(absl::IsUnauthenticated(client.Get(config_maps_, {ns(), "kube-root-ca.crt"}, {}).status()));
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace kupen::kube
