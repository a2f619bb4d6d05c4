// Six kinds from `kubectl apply` to a machine that runs in real OpenStack, and back to nothing.
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "test/e2e/provider/installed_provider.h"
#include "test/e2e/provider/tenant.h"
#include "test/support/audit_log.h"
#include "test/support/cluster.h"
#include "test/support/request_log.h"

namespace kupen::test {
namespace {

using testing::HasSubstr;

constexpr char kProviderUser[] = "system:serviceaccount:crossplane-system:provider-kupenstack";
constexpr int kMostWrites = 4;
// One that takes longer than users like to wait in silence says once or twice what it waits for.
constexpr int kMostWritesWhenSlow = 6;
constexpr absl::Duration kQuick = absl::Seconds(3);
constexpr absl::Duration kSoon = absl::Seconds(60);
// A mirror looks every 5 s (install_test), and no more than a twentieth of the time.
constexpr absl::Duration kOnePoll = absl::Minutes(3);

constexpr char kParts[] = R"(
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: blue, namespace: $NS}
spec: {$CONFIG, forProvider: {description: for the web, mtu: 1400, tags: [web]}}
---
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Subnet
metadata: {name: low, namespace: $NS}
spec: {$CONFIG, forProvider: {networkRef: {name: blue}, cidr: 10.10.0.0/24}}
---
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: KeyPair
metadata: {name: alice, namespace: $NS}
spec:
  $CONFIG
  forProvider:
    publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7yHAPMVqnE6XoIHBTB1KLeSYBnJqZ6mYG8bwlEyJxn alice@example.com
---
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: Flavor
metadata: {name: small, namespace: $NS}
spec: {$CONFIG, forProvider: {name: small-$NS, vcpus: 1, ram: 512, disk: 1, extraSpecs: {"hw:mem_page_size": small}}}
---
apiVersion: image.m.kupenstack.io/v1alpha1
kind: Image
metadata: {name: disk, namespace: $NS}
spec:
  $CONFIG
  forProvider:
    diskFormat: raw
    source: {url: $IMAGE, checksum: {algorithm: sha256, value: $SUM}}
    properties: {hw_rng_model: virtio}
)";

constexpr char kMachine[] = R"(
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: VirtualMachine
metadata: {name: web, namespace: $NS}
spec:
  $CONFIG
  forProvider:
    flavorRef: {name: small}
    imageRef: {name: disk}
    keyPairRef: {name: alice}
    networks: [{networkRef: {name: blue}, fixedIP: 10.10.0.10}]
    securityGroupNames: [default]
    userData: "#cloud-config"
    metadata: {role: web}
)";

// Of a project's ordinary member, on what the cloud already has.
constexpr char kBorrowing[] = R"(
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: outside, namespace: $NS}
spec: {$CONFIG, managementPolicies: [Observe], forProvider: {name: public}}
---
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: green, namespace: $NS, labels: {tier: web}}
spec: {$CONFIG, forProvider: {}}
---
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Subnet
metadata: {name: green, namespace: $NS}
spec: {$CONFIG, forProvider: {networkSelector: {matchLabels: {tier: web}}, cidr: 10.40.0.0/24}}
---
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: VirtualMachine
metadata: {name: guest, namespace: $NS}
spec:
  $CONFIG
  forProvider:
    flavorName: m1.tiny
    imageName: cirros
    securityGroupNames: [default]
    networks: [{networkName: private}]
)";

// The administrator's cloud, for another namespace.
constexpr char kElsewhere[] = R"(
apiVersion: m.kupenstack.io/v1alpha1
kind: ClusterProviderConfig
metadata: {name: elsewhere-$NS}
spec:
  credentials: {source: Secret, secretRef: {name: cloud, namespace: $NS}, cloud: admin}
  namespaceSelector: {matchNames: [somewhere-else]}
---
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: reaching, namespace: $NS}
spec: {providerConfigRef: {kind: ClusterProviderConfig, name: elsewhere-$NS}, forProvider: {}}
)";

const std::vector<std::string>& Parts() {
  static const auto* const kNames =
      new std::vector<std::string>{"network/blue", "subnet/low", "keypair/alice", "flavor/small", "image/disk"};
  return *kNames;
}

// Waits until the mirror of the administrator's networks has looked at the cloud that often.
absl::Status AwaitLooks(const RequestLog& requests, int looks) {
  return Eventually(looks * kOnePoll, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const int seen, requests.Count({.user = "admin", .method = "GET", .path_end = "/networks"}));
    return seen >= looks ? absl::OkStatus() : absl::UnavailableError(absl::StrCat(seen, " looks so far"));
  });
}

absl::StatusOr<std::map<std::string, std::string>> ExternalNames(const Tenant& tenant) {
  std::map<std::string, std::string> names;
  for (const std::string& object : Parts()) {
    ASSIGN_OR_RETURN(names[object], tenant.ExternalName(object));
  }
  ASSIGN_OR_RETURN(names["virtualmachine/web"], tenant.ExternalName("virtualmachine/web"));
  return names;
}

// Of an object: its own, its status's and its events'.
int WritesOf(const std::map<std::string, int>& writes, absl::string_view plural, absl::string_view name) {
  int sum = 0;
  for (const std::string& place :
       {absl::StrCat(plural, "/", name), absl::StrCat(plural, "/status/", name), absl::StrCat("events/", name)}) {
    const auto found = writes.find(place);
    if (found != writes.end()) sum += found->second;
  }
  return sum;
}

void ExpectColumns(const Tenant& tenant) {
  ASSERT_OK_AND_ASSIGN(const std::string machines, tenant.Run({"get", FullName("virtualmachine/web")}));
  EXPECT_THAT(machines, HasSubstr("NODE")) << machines;
  EXPECT_THAT(machines, HasSubstr("Running")) << machines;
  EXPECT_THAT(machines, HasSubstr("blue(10.10.0.10)")) << machines;
  ASSERT_OK_AND_ASSIGN(const std::string all, tenant.Run({"get", "managed"}));
  for (const char* shown : {"ACTIVE", "10.10.0.0/24", "ssh", "512", "active"}) EXPECT_THAT(all, HasSubstr(shown));
}

absl::StatusOr<absl::Duration> TimeToReady(const Tenant& tenant, absl::string_view object) {
  ASSIGN_OR_RETURN(const rapidjson::Document document, tenant.Get(object));
  const rapidjson::Value* ready = kube::FindCondition(document, "Ready");
  absl::Time made;
  absl::Time since;
  if (ready == nullptr ||
      !absl::ParseTime(absl::RFC3339_full, json::String(document, {"metadata", "creationTimestamp"}), &made, nullptr) ||
      !absl::ParseTime(absl::RFC3339_full, json::String(*ready, {"lastTransitionTime"}), &since, nullptr)) {
    return absl::NotFoundError(absl::StrCat(object, " has no times: ", json::Write(document)));
  }
  return since - made;
}

void ExpectFewWrites(const AuditLog& audit, const Tenant& tenant) {
  ASSERT_OK_AND_ASSIGN(const auto writes, audit.Writes(kProviderUser, tenant.ns()));
  const std::map<std::string, std::string> objects = {{"blue", "networks"}, {"low", "subnets"}, {"alice", "keypairs"},
                                                      {"small", "flavors"}, {"disk", "images"}, {"web", "virtualmachines"}};
  for (const auto& [name, plural] : objects) {
    const int count = WritesOf(writes, plural, name);
    ASSERT_OK_AND_ASSIGN(const absl::Duration took,
                         TimeToReady(tenant, absl::StrCat(absl::StripSuffix(plural, "s"), "/", name)));
    EXPECT_LE(count, took < kQuick ? kMostWrites : kMostWritesWhenSlow) << plural << " " << testing::PrintToString(writes);
    EXPECT_GE(count, 3) << plural << ": counted too little";
  }
}

void ExpectIdle(const Tenant& tenant) {
  // The network is told of its subnet by the next look at the cloud.
  ASSERT_OK(Eventually(kOnePoll, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const rapidjson::Document network, tenant.Get("network/blue"));
    return json::Array(network, {"status", "atProvider", "subnetIDs"}).Empty() ? absl::UnavailableError("no subnet yet")
                                                                               : absl::OkStatus();
  }));
  const RequestLog requests;
  const AuditLog audit;
  ASSERT_OK(AwaitLooks(requests, 3));
  ASSERT_OK_AND_ASSIGN(const auto writes, audit.Writes(kProviderUser, tenant.ns()));
  EXPECT_TRUE(writes.empty()) << testing::PrintToString(writes);
}

void ExpectSurvivesRestart(const InstalledProvider& provider, const Tenant& tenant) {
  ASSERT_OK_AND_ASSIGN(const auto before, ExternalNames(tenant));
  const RequestLog requests;
  const AuditLog audit;
  ASSERT_OK_AND_ASSIGN(const std::string pod, provider.Pod());
  ASSERT_OK(Kubectl({"delete", absl::StrCat("pod/", pod), "--namespace=crossplane-system", "--timeout=60s"}).status());
  ASSERT_OK(AwaitLooks(requests, 3));
  ASSERT_OK_AND_ASSIGN(const auto after, ExternalNames(tenant));
  EXPECT_EQ(before, after);
  for (const char* collection : {"/networks", "/subnets", "/servers", "/images", "/flavors", "/os-keypairs"}) {
    ASSERT_OK_AND_ASSIGN(const int created, requests.Count({.user = "admin", .method = "POST", .path_end = collection}));
    EXPECT_EQ(created, 0) << collection;
  }
  ASSERT_OK_AND_ASSIGN(const auto writes, audit.Writes(kProviderUser, tenant.ns()));
  for (const auto& [place, count] : writes) EXPECT_FALSE(absl::StrContains(place, "web")) << place;
}

void ExpectNoticesChanges(const Tenant& tenant) {
  ASSERT_OK_AND_ASSIGN(const std::string network, tenant.ExternalName("network/blue"));
  ASSERT_OK_AND_ASSIGN(const std::string key, tenant.ExternalName("keypair/alice"));
  ASSERT_OK(OpenStack("admin", {"network", "set", "--mtu=1300", network}).status());
  ASSERT_OK(OpenStack("admin", {"keypair", "delete", key}).status());
  ASSERT_OK(Eventually(kOnePoll, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::string mtu, OpenStack("admin", {"network", "show", network, "--format=value", "--column=mtu"}));
    return Contains(mtu, "1400");
  }));
  ASSERT_OK(Eventually(kOnePoll, [&] { return OpenStack("admin", {"keypair", "show", key}).status(); }));
  ASSERT_OK_AND_ASSIGN(const std::string events, tenant.Run({"get", "events"}));
  EXPECT_THAT(events, HasSubstr("mtu: 1300 → 1400"));
}

void ExpectGone(const Tenant& tenant) {
  ASSERT_OK_AND_ASSIGN(const auto names, ExternalNames(tenant));
  ASSERT_OK(tenant.Run({"delete", "managed", "--all", "--timeout=180s"}).status());
  const std::map<std::string, std::string> collections = {{"network/blue", "network"},  {"subnet/low", "subnet"},
                                                          {"keypair/alice", "keypair"}, {"flavor/small", "flavor"},
                                                          {"image/disk", "image"},      {"virtualmachine/web", "server"}};
  for (const auto& [object, noun] : collections) {
    const absl::Status shown = OpenStack("admin", {noun, "show", names.at(object)}).status();
    EXPECT_FALSE(shown.ok()) << object << " is still in the cloud";
  }
}

TEST(Lifecycle, FromApplyToAMachineAndBack) {
  const Tenant tenant("admin");
  ASSERT_OK(tenant.status());
  ASSERT_OK(tenant.AwaitCondition("providerconfig/mine", "Ready", "True Available", kSoon));

  const AuditLog audit;
  ASSERT_OK(tenant.Apply(kParts));
  ASSERT_OK(tenant.AwaitReady(Parts(), kSoon));
  ASSERT_OK(tenant.Apply(kMachine));
  ASSERT_OK(tenant.AwaitReady({"virtualmachine/web"}, kSoon));

  ExpectFewWrites(audit, tenant);
  ExpectColumns(tenant);
  ExpectIdle(tenant);
  ExpectSurvivesRestart(InstalledProvider(), tenant);
  ExpectNoticesChanges(tenant);
  ExpectGone(tenant);
}

TEST(Lifecycle, UsesWhatTheCloudHasAndADeletedNamespaceStrandsNothing) {
  const Tenant tenant("demo");
  ASSERT_OK(tenant.status());
  ASSERT_OK(tenant.Apply(kBorrowing));
  ASSERT_OK(tenant.AwaitReady({"network/outside", "network/green", "subnet/green", "virtualmachine/guest"}, kSoon));
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document outside, tenant.Get("network/outside"));
  EXPECT_TRUE(json::Find(outside, {"status", "atProvider", "external"})->GetBool());

  ASSERT_OK(tenant.Apply(kElsewhere));
  ASSERT_OK(tenant.AwaitCondition("network/reaching", "Synced", "does not serve", kSoon));
  ASSERT_OK(Kubectl({"delete", absl::StrCat("clusterproviderconfig.m.kupenstack.io/elsewhere-", tenant.ns()), "--wait=false"})
                .status());

  // All at once, Secret and configuration too: they stay until the last object is gone from the cloud.
  ASSERT_OK_AND_ASSIGN(const std::string machine, tenant.ExternalName("virtualmachine/guest"));
  ASSERT_OK_AND_ASSIGN(const std::string network, tenant.ExternalName("network/green"));
  ASSERT_OK(Kubectl({"delete", absl::StrCat("namespace/", tenant.ns()), "--timeout=180s"}).status());
  EXPECT_FALSE(OpenStack("demo", {"server", "show", machine}).ok());
  EXPECT_FALSE(OpenStack("demo", {"network", "show", network}).ok());
  EXPECT_TRUE(OpenStack("demo", {"network", "show", "public"}).ok()) << "what was only observed must stay";
}

}  // namespace
}  // namespace kupen::test
