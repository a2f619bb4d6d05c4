// Real Crossplane: installs a package of ours from a registry, and composes into a claim's namespace.
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

// Image, package and push, all as a user would with the real CLI, save that no container engine is needed. Gives the package's
// reference, with a tag that names its content: the node keeps images by tag and would run an older build.
absl::StatusOr<std::string> PushGreeter() {
  const std::string image = absl::StrCat(testing::TempDir(), "greeter-image.tar");
  const std::string package = absl::StrCat(testing::TempDir(), "greeter.xpkg");
  RETURN_IF_ERROR(RunProgram({absl::StrCat(ClusterVariable("KUPENSTACK_SOURCE"), "/harness/image.py"), image, "greeter:1",
                              "--entrypoint=/greeter", "--with-libraries", absl::StrCat(KUPEN_GREETER, "=/greeter")})
                      .status());
  RETURN_IF_ERROR(RunProgram({"crossplane", "xpkg", "build", absl::StrCat("--package-root=", KUPEN_MANIFESTS, "/package"),
                              absl::StrCat("--embed-runtime-image-tarball=", image), absl::StrCat("--package-file=", package)})
                      .status());
  ASSIGN_OR_RETURN(const std::string sum, RunProgram({"sha256sum", image}));
  std::string reference = absl::StrCat(ClusterVariable("KUPENSTACK_REGISTRY"), "/test/function-greeter:", sum.substr(0, 12));
  RETURN_IF_ERROR(RunProgram({"crossplane", "xpkg", "push", absl::StrCat("--package-files=", package), reference}).status());
  return reference;
}

absl::Status InstallGreeter() {
  ASSIGN_OR_RETURN(const std::string package, PushGreeter());
  RETURN_IF_ERROR(Apply(absl::Substitute(
      "{apiVersion: pkg.crossplane.io/v1, kind: Function, metadata: {name: function-greeter}, spec: {package: \"$0\"}}",
      package)));
  return WaitFor("condition=Healthy", {"function.pkg.crossplane.io/function-greeter"}, absl::Seconds(120));
}

TEST(Crossplane, PodsAreReady) {
  for (const char* deployment : {"deployment/crossplane", "deployment/crossplane-rbac-manager"}) {
    ASSERT_OK(WaitFor("condition=Available", {deployment, "--namespace=crossplane-system"}, absl::Seconds(30)));
  }
}

TEST(Crossplane, PackageIsPushedAndPulled) {
  ASSERT_OK_AND_ASSIGN(const std::string package, PushGreeter());
  ASSERT_OK_AND_ASSIGN(const std::string text,
                       RunProgram({"skopeo", "inspect", "--raw", "--tls-verify=false", absl::StrCat("docker://", package)}));
  // Where Crossplane finds the package's objects inside the image.
  ASSERT_OK(Contains(text, "\"io.crossplane.xpkg\":\"base\""));
}

TEST(Crossplane, ClaimComposesIntoItsOwnNamespace) {
  ASSERT_OK(InstallGreeter());
  ASSERT_OK(Kubectl({"apply", "--server-side", absl::StrCat("--filename=", KUPEN_MANIFESTS, "/greeting.yaml")}).status());
  ASSERT_OK(WaitFor("condition=Offered", {"xrd/xgreetings.ground.kupenstack.io"}, absl::Seconds(60)));

  const ScratchNamespace tenant("tenant");
  ASSERT_OK(Apply(absl::Substitute(
      "{apiVersion: ground.kupenstack.io/v1, kind: Greeting, metadata: {name: hello, namespace: $0}, spec: {name: World}}",
      tenant.name())));
  const absl::Status ready = WaitFor("condition=Ready", {"greeting/hello", "--namespace", tenant.name()}, absl::Seconds(120));
  const absl::StatusOr<std::string> trace =
      RunProgram({"crossplane", "resource", "trace", "greeting", "hello", "--namespace", tenant.name()});
  ASSERT_TRUE(ready.ok()) << ready << "\n" << trace.value_or("no trace");

  ASSERT_OK_AND_ASSIGN(const rapidjson::Document maps,
                       GetJson({"configmaps", "--namespace", tenant.name(), "--selector=crossplane.io/claim-name=hello"}));
  ASSERT_EQ(json::Array(maps, {"items"}).Size(), 1u) << json::Write(maps);
  EXPECT_EQ(json::String(json::Array(maps, {"items"})[0], {"data", "greeting"}), "Hello World");

  ASSERT_OK(Kubectl({"delete", "greeting", "hello", "--namespace", tenant.name(), "--timeout=60s"}).status());
  ASSERT_OK(WaitFor("delete", {"configmaps", "--namespace", tenant.name(), "--selector=crossplane.io/claim-name=hello"},
                    absl::Seconds(90)));
}

}  // namespace
}  // namespace kupen::test
