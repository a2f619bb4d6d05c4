// The control plane alone: API server, etcd, controller-manager.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

TEST(Control, RunsThePinnedKubernetes) {
  ASSERT_OK_AND_ASSIGN(const std::string text, Kubectl({"get", "--raw", "/version"}));
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document version, json::Parse(text));
  EXPECT_EQ(json::String(version, {"gitVersion"}), ClusterVariable("KUPENSTACK_KUBERNETES_VERSION"));
}

TEST(Control, StreamsLists) {
  // An etcd that can't report progress makes the API server refuse this, and no real cluster does.
  ASSERT_OK_AND_ASSIGN(const std::string events,
                       Kubectl({"get", "--raw",
                                "/api/v1/namespaces?watch=true&sendInitialEvents=true&allowWatchBookmarks=true"
                                "&resourceVersionMatch=NotOlderThan&timeoutSeconds=1"}));
  ASSERT_OK(Contains(events, "\"kube-system\""));
  ASSERT_OK(Contains(events, "k8s.io/initial-events-end"));
}

TEST(Control, CollectsGarbage) {
  const ScratchNamespace scratch("garbage");
  ASSERT_OK(Apply(absl::StrCat("{apiVersion: v1, kind: ConfigMap, metadata: {name: owner, namespace: ", scratch.name(), "}}")));
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document owner, GetJson({"configmap", "owner", "--namespace", scratch.name()}));
  ASSERT_OK(Apply(absl::StrCat("{apiVersion: v1, kind: ConfigMap, metadata: {name: owned, namespace: ", scratch.name(),
                               ", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: ",
                               std::string(json::String(owner, {"metadata", "uid"})), "}]}}")));
  ASSERT_OK(Kubectl({"delete", "configmap", "owner", "--namespace", scratch.name()}).status());
  ASSERT_OK(WaitFor("delete", {"configmap/owned", "--namespace", scratch.name()}, absl::Seconds(60)));
}

TEST(Control, ChecksRights) {
  const ScratchNamespace scratch("rights");
  const std::string user = absl::StrCat("--as=system:serviceaccount:", scratch.name(), ":default");
  const absl::Status refused = Kubectl({"get", "secrets", "--namespace=kube-system", user}).status();
  ASSERT_FALSE(refused.ok());
  ASSERT_OK(Contains(refused.message(), "Forbidden"));
}

}  // namespace
}  // namespace kupen::test
