// A node that runs pods, and a network in which they find each other and OpenStack.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/support/cluster.h"
#include "test/support/subprocess.h"

namespace kupen::test {
namespace {

// An image with a few programs of this machine: none can be downloaded here.
absl::StatusOr<std::string> PushToolsImage() {
  std::string reference = absl::StrCat(ClusterVariable("KUPENSTACK_REGISTRY"), "/test/tools:1");
  const std::string archive = absl::StrCat(testing::TempDir(), "tools-image.tar");
  const std::string image = absl::StrCat(ClusterVariable("KUPENSTACK_SOURCE"), "/harness/image.py");
  for (const auto& command :
       {std::vector<std::string>{image, archive, reference, "--entrypoint=/bin/getent", "--with-libraries",
                                 "/usr/bin/getent=/bin/getent", "/usr/bin/sleep=/bin/sleep", "/usr/bin/curl=/bin/curl"},
        std::vector<std::string>{"skopeo", "copy", "--dest-tls-verify=false", absl::StrCat("docker-archive:", archive),
                                 absl::StrCat("docker://", reference)}}) {
    RETURN_IF_ERROR(RunProgram(command).status());
  }
  return reference;
}

class Node : public testing::Test {
 protected:
  void SetUp() override { ASSERT_OK_AND_ASSIGN(image_, PushToolsImage()); }

  std::string Pod(absl::string_view name, absl::string_view command) {
    return absl::Substitute(R"(
apiVersion: v1
kind: Pod
metadata: {name: $0, namespace: $1, labels: {app: $0}}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 0
  containers: [{name: main, image: "$2", command: [$3]}]
)",
                            name, scratch_.name(), image_, command);
  }

  // What a pod printed that ran to its end.
  absl::StatusOr<std::string> RunPod(absl::string_view name, absl::string_view command) {
    RETURN_IF_ERROR(Apply(Pod(name, command)));
    const std::string pod = absl::StrCat("pod/", name);
    const absl::Status ended =
        WaitFor("jsonpath={.status.phase}=Succeeded", {pod, "--namespace", scratch_.name()}, absl::Seconds(60));
    absl::StatusOr<std::string> log = Kubectl({"logs", pod, "--namespace", scratch_.name()});
    if (!ended.ok()) return absl::InternalError(absl::StrCat(ended.message(), "\nits log: ", log.value_or("none")));
    return log;
  }

  const ScratchNamespace scratch_{"node"};
  std::string image_;
};

TEST(NodeItself, IsReady) { ASSERT_OK(WaitFor("condition=Ready", {"node/node1"}, absl::Seconds(30))); }

TEST_F(Node, PodResolvesAHeadlessService) {
  ASSERT_OK(Apply(Pod("web", R"("/bin/sleep", "600")")));
  ASSERT_OK(Apply(absl::Substitute(
      "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: $0}, spec: {clusterIP: None, selector: {app: web}}}",
      scratch_.name())));
  ASSERT_OK(WaitFor("condition=Ready", {"pod/web", "--namespace", scratch_.name()}, absl::Seconds(60)));
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document web, GetJson({"pod", "web", "--namespace", scratch_.name()}));
  const std::string address(json::String(web, {"status", "podIP"}));
  ASSERT_NE(address, "");

  // The DNS server learns of the new endpoint through a watch: the first answer may still be "no such name".
  int attempt = 0;
  ASSERT_OK(Eventually(absl::Seconds(60), [&]() -> absl::Status {
    const std::string query = absl::StrCat(R"("/bin/getent", "ahostsv4", "web.)", scratch_.name(), R"(.svc.cluster.local")");
    const absl::StatusOr<std::string> answer = RunPod(absl::StrCat("ask-", ++attempt), query);
    return answer.ok() ? Contains(*answer, address) : answer.status();
  }));
}

TEST_F(Node, PodReachesTheApiServerByItsServiceAndKeystone) {
  ASSERT_OK_AND_ASSIGN(const std::string kubernetes,
                       RunPod("kubernetes", R"("/bin/curl", "-sk", "https://kubernetes.default.svc.cluster.local/version")"));
  ASSERT_OK(Contains(kubernetes, ClusterVariable("KUPENSTACK_KUBERNETES_VERSION")));
  ASSERT_OK_AND_ASSIGN(
      const std::string keystone,
      RunPod("keystone", absl::StrCat(R"("/bin/curl", "-sf", "http://)", ClusterVariable("KUPENSTACK_IP"), R"(:35357/v3")")));
  ASSERT_OK(Contains(keystone, "identity"));
}

}  // namespace
}  // namespace kupen::test
