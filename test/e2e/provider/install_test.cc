// The package as users get it: Crossplane installs it and runs it with no rights but its own. The other tests here then use it.
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/e2e/provider/installed_provider.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

constexpr double kIdleBytes = 40e6;

// As Crossplane would run it by itself, but that it looks at the clouds more often: the tests wait for that.
constexpr char kQuick[] = R"(
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: quick}
spec:
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          containers:
          - {name: package-runtime, args: [--poll=5s]}
)";

// What came after the process had all that it needs: the RBAC manager may be slower than the pod's start.
absl::StatusOr<std::string> LogSinceReady(const InstalledProvider& provider) {
  ASSIGN_OR_RETURN(const std::string log, provider.Log());
  const size_t ready = log.find("ready to reconcile");
  if (ready == std::string::npos) return absl::NotFoundError(absl::StrCat("never ready:\n", log));
  return log.substr(ready);
}

// A configuration that nothing listens behind, and an object that uses it: makes the provider read a Secret, write finalizers,
// status and events.
absl::Status ApplyObjects(const std::string& ns) {
  return Apply(absl::Substitute(R"(
apiVersion: v1
kind: Secret
metadata: {name: cloud, namespace: $0}
stringData:
  clouds.yaml: |
    clouds:
      nowhere: {auth: {auth_url: "http://$1:9/v3", username: u, password: p, project_name: p, user_domain_name: d, project_domain_name: d}}
---
apiVersion: m.kupenstack.io/v1alpha1
kind: ProviderConfig
metadata: {name: nowhere, namespace: $0}
spec: {credentials: {source: Secret, secretRef: {name: cloud, key: clouds.yaml}}}
---
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: blue, namespace: $0}
spec:
  providerConfigRef: {kind: ProviderConfig, name: nowhere}
  forProvider: {}
)",
                                ns, ClusterVariable("KUPENSTACK_IP")));
}

// Waits until every kind of the package is watched.
absl::Status AwaitAllKinds(const InstalledProvider& provider) {
  const std::filesystem::directory_iterator crds(KUPEN_CRDS);
  const auto kinds = std::distance(begin(crds), end(crds));
  return Eventually(absl::Seconds(60), [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::string log, provider.Log());
    const std::vector<absl::string_view> parts = absl::StrSplit(log, " watching kind=");
    if (static_cast<std::ptrdiff_t>(parts.size()) - 1 == kinds) return absl::OkStatus();
    return absl::UnavailableError(absl::StrCat(parts.size() - 1, " of ", kinds, " kinds are watched:\n", log));
  });
}

// All kinds are watched, and no object exists.
void ExpectSmallWhenIdle(const InstalledProvider& provider) {
  ASSERT_OK(AwaitAllKinds(provider));
  ASSERT_OK(Eventually(absl::Seconds(30), [&] { return provider.Get("/readyz").status(); }));
  ASSERT_OK(provider.Get("/healthz").status());
  ASSERT_OK_AND_ASSIGN(const std::string metrics, provider.Get("/metrics"));
  ASSERT_OK_AND_ASSIGN(const double resident, MetricIn(metrics, "process_resident_memory_bytes"));
  EXPECT_LE(resident, kIdleBytes);
  testing::Test::RecordProperty("idle_megabytes", static_cast<int>(resident / 1e6));
  ASSERT_OK(Contains(metrics, "crossplane_managed_resource_exists{gvk=\"network.m.kupenstack.io/v1alpha1, Kind=Network\"} 0"));
}

TEST(Package, RunsSmallAndWithCrossplanesRbacAlone) {
  ASSERT_OK(Apply(kQuick));
  ASSERT_OK_AND_ASSIGN(const std::string package, PushProvider("v0.1.0"));
  ASSERT_OK(InstalledProvider::Install(package, "quick"));
  const InstalledProvider provider;
  ASSERT_OK_AND_ASSIGN(const std::string listing, Kubectl({"get", "providers.pkg.crossplane.io"}));
  EXPECT_TRUE(absl::StrContains(listing, "provider-kupenstack   True        True")) << listing;
  ASSERT_OK(WaitFor("condition=Established", {"crd/networks.network.m.kupenstack.io"}, absl::Seconds(30)));
  ExpectSmallWhenIdle(provider);

  const ScratchNamespace tenant("tenant");
  ASSERT_OK(ApplyObjects(tenant.name()));
  ASSERT_OK(WaitFor("condition=Synced=False", {"network.network.m.kupenstack.io/blue", "--namespace", tenant.name()},
                    absl::Seconds(60)));
  ASSERT_OK_AND_ASSIGN(const std::string log, LogSinceReady(provider));
  EXPECT_FALSE(absl::StrContains(log, "PERMISSION_DENIED") || absl::StrContains(log, "forbidden")) << log;

  // Nothing was made in any cloud, so it goes at once; before the provider does, which alone can let it go.
  ASSERT_OK(
      Kubectl({"delete", "network.network.m.kupenstack.io/blue", "--namespace", tenant.name(), "--timeout=60s"}).status());
}

}  // namespace
}  // namespace kupen::test
