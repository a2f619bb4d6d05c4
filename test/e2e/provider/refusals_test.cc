// What users get wrong, and what they read then: the cause in their own words, in the condition and in an event; and no secret.
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "test/e2e/provider/installed_provider.h"
#include "test/e2e/provider/tenant.h"
#include "test/support/cluster.h"
#include "test/support/request_log.h"

namespace kupen::test {
namespace {

using testing::HasSubstr;

constexpr absl::Duration kSoon = absl::Seconds(60);
// Planted wherever users put secrets.
constexpr char kMarker[] = "planted-9f2b6c41";

constexpr char kConfig[] = R"(
apiVersion: v1
kind: Secret
metadata: {name: cloud-$0, namespace: $$NS}
stringData:
  clouds.yaml: |
    clouds:
      c: {region_name: RegionOne, auth: {auth_url: "$1", username: demo, password: "$2", project_name: demo, user_domain_name: Default, project_domain_name: Default}}
---
apiVersion: m.kupenstack.io/v1alpha1
kind: ProviderConfig
metadata: {name: $0, namespace: $$NS}
spec: {credentials: {source: Secret, secretRef: {name: cloud-$0}}}
---
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: $0, namespace: $$NS}
spec: {providerConfigRef: {kind: ProviderConfig, name: $0}, forProvider: {}}
)";

std::string Keystone() { return absl::StrCat("http://", ClusterVariable("KUPENSTACK_IP"), ":35357/v3"); }
std::string Nowhere() { return absl::StrCat("http://", ClusterVariable("KUPENSTACK_IP"), ":9/v3"); }

void ExpectEvent(const Tenant& tenant, absl::string_view object, absl::string_view part) {
  EXPECT_TRUE(Eventually(kSoon,
                         [&]() -> absl::Status {
                           ASSIGN_OR_RETURN(const std::string events, tenant.Run({"get", "events", "--output=wide"}));
                           return Contains(events, part);
                         })
                  .ok())
      << object << " has no event with: " << part;
}

void ExpectWrongPasswordIsSaidAndMended(const Tenant& tenant) {
  const std::string wrong = absl::StrCat(kMarker, "-password");
  ASSERT_OK(tenant.Apply(absl::Substitute(kConfig, "wrong", Keystone(), wrong)));
  ASSERT_OK(tenant.AwaitCondition("providerconfig/wrong", "Ready", "False AuthenticationFailed", kSoon));
  ASSERT_OK(tenant.AwaitCondition("network/wrong", "Synced", "401", kSoon));
  ASSERT_OK(tenant.AwaitCondition("network/wrong", "Ready", "False", kSoon));
  // The right password takes effect by itself.
  ASSERT_OK(tenant.Apply(absl::Substitute(kConfig, "wrong", Keystone(), "demo")));
  ASSERT_OK(tenant.AwaitReady({"network/wrong"}, kSoon));
  ASSERT_OK(tenant.AwaitCondition("providerconfig/wrong", "Ready", "True", kSoon));
}

void ExpectUnreachableIsSaid(const Tenant& tenant) {
  ASSERT_OK(tenant.Apply(absl::Substitute(kConfig, "nowhere", Nowhere(), "demo")));
  ASSERT_OK(tenant.AwaitCondition("providerconfig/nowhere", "Ready", "False Unreachable", kSoon));
  ASSERT_OK(tenant.AwaitCondition("network/nowhere", "Synced", "False ReconcileError", kSoon));
}

void ExpectMissingSecretIsSaid(const Tenant& tenant) {
  ASSERT_OK(tenant.Apply(R"(
apiVersion: m.kupenstack.io/v1alpha1
kind: ProviderConfig
metadata: {name: lost, namespace: $NS}
spec: {credentials: {source: Secret, secretRef: {name: lost}}}
---
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: lost, namespace: $NS}
spec: {providerConfigRef: {kind: ProviderConfig, name: lost}, forProvider: {}}
---
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: configless, namespace: $NS}
spec: {providerConfigRef: {kind: ProviderConfig, name: never-made}, forProvider: {}}
)"));
  ASSERT_OK(tenant.AwaitCondition("providerconfig/lost", "Ready", "False SecretNotFound", kSoon));
  ASSERT_OK(tenant.AwaitCondition("network/lost", "Synced", "lost", kSoon));
  ASSERT_OK(tenant.AwaitCondition("network/configless", "Synced", "never-made", kSoon));
}

void ExpectRefusedFieldsAreSaid(const Tenant& tenant) {
  ASSERT_OK(tenant.Apply(absl::StrReplaceAll(R"(
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: VirtualMachine
metadata: {name: sizeless, namespace: $NS}
spec:
  $CONFIG
  forProvider:
    flavorID: no-such-flavor
    imageName: cirros
    networks: [{networkName: private}]
    userData: "MARKER-user-data"
---
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: VirtualMachine
metadata: {name: nameless, namespace: $NS}
spec: {$CONFIG, forProvider: {flavorName: no-such-flavor, imageName: cirros, networks: [{networkName: private}]}}
---
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Subnet
metadata: {name: crooked, namespace: $NS}
spec: {$CONFIG, forProvider: {networkName: private, cidr: 10.20.0.0/24, gatewayIP: 192.0.2.1, allocationPools: [{start: 192.0.2.5, end: 192.0.2.9}]}}
)",
                                             {{"MARKER", kMarker}})));
  ASSERT_OK(tenant.AwaitCondition("virtualmachine/sizeless", "Synced", "create failed: nova: 400", kSoon));
  ASSERT_OK(tenant.AwaitCondition("virtualmachine/sizeless", "Stalled", "True", kSoon));
  ASSERT_OK(tenant.AwaitCondition("virtualmachine/nameless", "Synced",
                                  "spec.forProvider.flavorName: nova: nothing among flavors has the name no-such-flavor",
                                  kSoon));
  ASSERT_OK(tenant.AwaitCondition("subnet/crooked", "Synced", "create failed: neutron: 400", kSoon));
  ExpectEvent(tenant, "subnet/crooked", "(request req-");
}

void ExpectTwoOfAName(const Tenant& tenant) {
  ASSERT_OK(tenant.Apply(R"(
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: twin-a, namespace: $NS}
spec: {$CONFIG, forProvider: {name: twin-$NS}}
---
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: twin-b, namespace: $NS}
spec: {$CONFIG, forProvider: {name: twin-$NS}}
)"));
  ASSERT_OK(tenant.AwaitReady({"network/twin-a", "network/twin-b"}, kSoon));
  ASSERT_OK(tenant.Apply(R"(
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Subnet
metadata: {name: torn, namespace: $NS}
spec: {$CONFIG, forProvider: {networkName: twin-$NS, cidr: 10.30.0.0/24}}
)"));
  ASSERT_OK_AND_ASSIGN(const std::string a, tenant.ExternalName("network/twin-a"));
  ASSERT_OK_AND_ASSIGN(const std::string b, tenant.ExternalName("network/twin-b"));
  ASSERT_OK(tenant.AwaitCondition("subnet/torn", "Synced", a, kSoon));
  ASSERT_OK(tenant.AwaitCondition("subnet/torn", "Synced", b, kSoon));
}

void ExpectQuotaIsSaid(const Tenant& tenant) {
  ASSERT_OK(OpenStack("admin", {"quota", "set", "--key-pairs=0", "demo"}).status());
  const absl::Status applied = tenant.Apply(R"(
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: KeyPair
metadata: {name: one-too-many, namespace: $NS}
spec:
  $CONFIG
  forProvider:
    publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7yHAPMVqnE6XoIHBTB1KLeSYBnJqZ6mYG8bwlEyJxn bob@example.com
)");
  const absl::Status said = tenant.AwaitCondition("keypair/one-too-many", "Synced", "Quota exceeded", kSoon);
  const absl::Status stalled = tenant.AwaitCondition("keypair/one-too-many", "Stalled", "True", kSoon);
  ASSERT_OK(OpenStack("admin", {"quota", "set", "--key-pairs=100", "demo"}).status());
  ASSERT_OK(applied);
  ASSERT_OK(said);
  ASSERT_OK(stalled);
}

// What was refused over and over is asked for with growing pauses.
void ExpectNoBusyLoop(const RequestLog& requests) {
  for (const char* path : {"/auth/tokens", "/servers", "/networks", "/subnets"}) {
    ASSERT_OK_AND_ASSIGN(const int sent, requests.Count({.method = "POST", .path_end = path}));
    EXPECT_LE(sent, 30) << path;
  }
}

void ExpectNoSecretAnywhere(const InstalledProvider& provider, const Tenant& tenant) {
  ASSERT_OK_AND_ASSIGN(const std::string log, provider.Log());
  ASSERT_OK_AND_ASSIGN(const std::string events, Kubectl({"get", "events", "--all-namespaces", "--output=json"}));
  ASSERT_OK_AND_ASSIGN(const std::string configs, tenant.Run({"get", "providerconfigs.m.kupenstack.io", "--output=json"}));
  ASSERT_OK_AND_ASSIGN(const std::string metrics, provider.Get("/metrics"));
  for (const std::string& text : {log, events, configs, metrics}) {
    EXPECT_FALSE(absl::StrContains(text, kMarker));
    EXPECT_FALSE(absl::StrContains(text, absl::Base64Escape(absl::StrCat(kMarker, "-user-data"))));
  }
  ASSERT_OK_AND_ASSIGN(const std::string status,
                       tenant.Run({"get", FullName("virtualmachine/sizeless"), "--output=jsonpath={.status}"}));
  EXPECT_FALSE(absl::StrContains(status, kMarker)) << status;
}

TEST(Refusals, AreSaidWhereUsersLookAndLoseNothing) {
  const Tenant tenant("demo");
  ASSERT_OK(tenant.status());
  const RequestLog requests;

  ExpectWrongPasswordIsSaidAndMended(tenant);
  ExpectUnreachableIsSaid(tenant);
  ExpectMissingSecretIsSaid(tenant);
  ExpectRefusedFieldsAreSaid(tenant);
  ExpectTwoOfAName(tenant);
  ExpectQuotaIsSaid(tenant);
  ExpectNoBusyLoop(requests);
  ExpectNoSecretAnywhere(InstalledProvider(), tenant);
}

}  // namespace
}  // namespace kupen::test
