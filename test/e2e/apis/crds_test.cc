// What the real API server makes of the generated CRDs: it takes them and the examples, refuses what it should with words that
// help, and shows the columns.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "apis/gen/crd.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "test/apis/support/scratch_kind.h"
#include "test/apis/support/twin.h"
#include "test/support/cluster.h"
#include "test/support/scratch_crds.h"

namespace kupen::test {
namespace {

class Crds : public testing::Test {
 protected:
  // An object in the test's namespace. `spec` is a flow mapping: {forProvider: {cidr: …}}.
  std::string Object(const std::string& service, const std::string& kind, const std::string& spec) const {
    const std::string group = service.empty() ? "" : service + ".";
    return absl::StrCat("{apiVersion: ", group, "m.apis.test/v1alpha1, kind: ", kind,
                        ", metadata: {name: it, namespace: ", namespace_.name(), "}, spec: ", spec, "}");
  }

  absl::Status Accepts(const std::string& manifest) const {
    return Kubectl({"apply", "--server-side", "--dry-run=server", "--namespace", namespace_.name(), "-f", "-"}, manifest)
        .status();
  }

  // OK if the API server refuses the manifest with this message.
  absl::Status Refuses(const std::string& manifest, absl::string_view message) const {
    const absl::Status status = Accepts(manifest);
    if (status.ok()) return absl::InternalError(absl::StrCat("accepted: ", manifest));
    return Contains(status.message(), message);
  }

  absl::Status PatchStatus(const std::string& resource, const std::string& patch) const {
    return Kubectl({"patch", resource, "it", "--namespace", namespace_.name(), "--subresource=status", "--type=merge",
                    "--patch", patch})
        .status();
  }

  const ScratchNamespace namespace_{"crds"};
};

TEST_F(Crds, AreEstablishedAndStructural) {
  for (const std::string& name : CrdNames()) {
    ASSERT_OK_AND_ASSIGN(const rapidjson::Document crd, GetJson({"crd", name}));
    for (const auto& condition : json::Array(crd, {"status", "conditions"})) {
      const absl::string_view type = json::String(condition, {"type"});
      EXPECT_EQ(json::String(condition, {"status"}), "True") << name << " " << type << ": " << json::Write(condition);
      EXPECT_TRUE(type == "Established" || type == "NamesAccepted") << name << " " << type;
    }
  }
}

TEST_F(Crds, TakeEveryExample) {
  const std::vector<Manifest> examples = Examples();
  EXPECT_EQ(examples.size(), CommittedCrds().size());
  for (const Manifest& example : examples)
    EXPECT_TRUE(Accepts(example.text).ok()) << example.path << ": " << Accepts(example.text);
}

TEST_F(Crds, TakeTheQuickstart) {
  const std::string here = absl::StrCat("  namespace: ", namespace_.name(), "\n");
  for (const Manifest& manifest : Quickstart()) {
    const std::string text =
        absl::StrReplaceAll(manifest.text, {{"  namespace: operators\n", here}, {"  namespace: team-a\n", here}});
    ASSERT_NE(text, manifest.text);
    EXPECT_TRUE(Accepts(text).ok()) << manifest.path << ": " << Accepts(text);
  }
}

TEST_F(Crds, FillInWhatEveryManagedResourceHas) {
  ASSERT_OK(Apply(Object("network", "Network", "{forProvider: {}}")));
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document network,
                       GetJson({"networks.network.m.apis.test", "it", "-n", namespace_.name()}));
  EXPECT_EQ(
      json::Write(*json::Find(network, {"spec"})),
      R"({"forProvider":{},"managementPolicies":["*"],"providerConfigRef":{"kind":"ClusterProviderConfig","name":"default"},)"
      R"("replacePolicy":"Never"})");
}

TEST_F(Crds, AskForWhatIsRequiredUnlessTheObjectOnlyObserves) {
  ASSERT_OK(Refuses(Object("compute", "KeyPair", "{forProvider: {}}"), "spec.forProvider.publicKey is a required parameter"));
  ASSERT_OK(Accepts(Object("compute", "KeyPair", "{forProvider: {}, initProvider: {publicKey: k}}")));
  ASSERT_OK(Accepts(Object("compute", "KeyPair", "{forProvider: {}, managementPolicies: [Observe]}")));
  ASSERT_OK(Refuses(Object("compute", "KeyPair", "{forProvider: {}, managementPolicies: [Observe, Create]}"),
                    "spec.forProvider.publicKey is a required parameter"));
  ASSERT_OK(Refuses(Object("network", "Subnet", "{forProvider: {cidr: 10.0.0.0/8}}"),
                    "one of networkID, networkRef, networkSelector, networkName is a required parameter of spec.forProvider"));
  ASSERT_OK(Refuses(Object("network", "Subnet", "{forProvider: {networkName: blue}}"),
                    "spec.forProvider needs cidr, or subnetPoolID or subnetPoolName to take one from"));
  ASSERT_OK(Accepts(Object("network", "Subnet", "{forProvider: {networkName: blue}, managementPolicies: [Observe]}")));
  ASSERT_OK(Refuses(Object("compute", "VirtualMachine", "{forProvider: {flavorName: small}}"),
                    "spec.forProvider needs one of imageID, imageRef, imageSelector, imageName, or bootVolume"));
}

TEST_F(Crds, TakeOneWayToReferAtATime) {
  ASSERT_OK(
      Refuses(Object("network", "Subnet", "{forProvider: {cidr: 10.0.0.0/8, networkName: blue, networkRef: {name: blue}}}"),
              "only one of networkID, networkRef, networkSelector, networkName may be set"));
  ASSERT_OK(Refuses(Object("network", "Subnet", "{forProvider: {cidr: 10.0.0.0/8, networkSelector: {}}}"),
                    "needs matchLabels or matchControllerRef"));
  const std::string machine = "{forProvider: {flavorName: small, imageName: debian, networks: [";
  ASSERT_OK(Accepts(Object("compute", "VirtualMachine",
                           machine + "{networkName: blue, fixedIP: 10.0.0.5}, {portID: "
                                     "3f1c5d0e-8a3b-4c1d-9e2f-0a1b2c3d4e5f}]}}")));
  ASSERT_OK(Refuses(Object("compute", "VirtualMachine", machine + "{networkName: blue, portName: mine}]}}"),
                    "needs exactly one of networkID, networkRef, networkSelector, networkName, portID, portName"));
  ASSERT_OK(Refuses(Object("compute", "VirtualMachine", machine + "{portName: mine, fixedIP: 10.0.0.5}]}}"),
                    "a port has its own addresses: fixedIP is for networks"));
}

TEST_F(Crds, RefuseValuesThatCannotBe) {
  ASSERT_OK(Refuses(Object("network", "Network", "{forProvider: {mtu: 67}}"), "should be greater than or equal to 68"));
  ASSERT_OK(Refuses(Object("network", "Network", "{forProvider: {networkType: token-ring}}"),
                    "supported values: \"flat\", \"vlan\""));
  ASSERT_OK(Refuses(Object("network", "Network", "{forProvider: {segmentationID: 7}}"), "segmentationID needs networkType"));
  ASSERT_OK(
      Refuses(Object("network", "Network", "{forProvider: {}, managementPolicies: [Maybe]}"), "supported values: \"Observe\""));
  ASSERT_OK(
      Refuses(Object("network", "Network", "{forProvider: {}, providerConfigRef: {name: mine}}"), "providerConfigRef.kind"));
  ASSERT_OK(Refuses(Object("network", "Network", "{forProvider: {tags: [a, a]}}"), "duplicate entries for key"));
  ASSERT_OK(Refuses(Object("network", "Network", "{forProvider: {colour: blue}}"),
                    ".spec.forProvider.colour: field not declared in schema"));
  const std::string subnet = "{forProvider: {networkName: blue, ";
  ASSERT_OK(Refuses(Object("network", "Subnet", subnet + "cidr: 10.0.0.0}}"), "spec.forProvider.cidr"));
  ASSERT_OK(Refuses(Object("network", "Subnet", subnet + "cidr: 10.0.0.0/8, ipVersion: 5}}"), "must be 4 or 6"));
  ASSERT_OK(Refuses(Object("network", "Subnet", subnet + "cidr: 10.0.0.0/8, gatewayIP: 10.0.0.256}}"),
                    "must be an IPv4 or IPv6 address"));
  ASSERT_OK(Accepts(Object("network", "Subnet", subnet + "cidr: 10.0.0.0/8, gatewayIP: ''}}")));
  ASSERT_OK(Refuses(Object("network", "Subnet", subnet + "cidr: 10.0.0.0/8, dnsNameservers: [nine]}}"),
                    "must be an IPv4 or IPv6 address"));
}

TEST_F(Crds, ConfigurationsNameTheirSecretAndNamespaces) {
  ASSERT_OK(Refuses(Object("", "ProviderConfig", "{credentials: {source: Secret}}"), "source Secret needs secretRef"));
  ASSERT_OK(Refuses(Object("", "ProviderConfig", "{credentials: {source: Filesystem, secretRef: {name: s}}}"),
                    "supported values: \"Secret\""));
  ASSERT_OK(Refuses(Object("", "ProviderConfig", "{credentials: {secretRef: {name: s, namespace: other}}}"),
                    ".spec.credentials.secretRef.namespace: field not declared in schema"));
  ASSERT_OK(
      Refuses("{apiVersion: m.apis.test/v1alpha1, kind: ClusterProviderConfig, metadata: {name: it}, spec: {credentials: "
              "{secretRef: {name: s, namespace: other}}}}",
              "spec.namespaceSelector: Required value"));
}

TEST_F(Crds, HoldImmutableFieldsOnlyOnceTheObjectExists) {
  const auto subnet = [&](const std::string& parameters) {
    return Object("network", "Subnet", "{forProvider: {" + parameters + "}}");
  };
  ASSERT_OK(Apply(subnet("networkRef: {name: blu}, cidr: 10.0.0.0/9")));
  // A typo can be mended as long as there is nothing in the cloud.
  ASSERT_OK(PatchStatus("subnets.network.m.apis.test", R"({"status": {"observedGeneration": 1}})"));
  ASSERT_OK(Apply(subnet("networkRef: {name: blue}, cidr: 10.0.0.0/8")));
  ASSERT_OK(PatchStatus("subnets.network.m.apis.test", R"({"status": {"atProvider": {"id": "x"}}})"));

  ASSERT_OK(Refuses(subnet("networkRef: {name: blue}, cidr: 10.1.0.0/16"),
                    "spec.forProvider.cidr: Invalid value: cannot be changed once the Subnet exists in the cloud"));
  ASSERT_OK(
      Refuses(subnet("networkRef: {name: blue}, subnetPoolName: p"), "cannot be changed once the Subnet exists in the cloud"));
  ASSERT_OK(
      Refuses(subnet("networkRef: {name: red}, cidr: 10.0.0.0/8"), "cannot be changed once the Subnet exists in the cloud"));
  // What was not said may be said, another way to refer may take the place of the first, and the rest may change.
  ASSERT_OK(Accepts(subnet("networkRef: {name: blue}, cidr: 10.0.0.0/8, ipVersion: 4")));
  ASSERT_OK(Accepts(subnet("networkName: blue, cidr: 10.0.0.0/8")));
  ASSERT_OK(Accepts(subnet("networkRef: {name: blue}, cidr: 10.0.0.0/8, enableDHCP: false")));

  // Gone from the cloud: free again.
  ASSERT_OK(PatchStatus("subnets.network.m.apis.test", R"({"status": {"atProvider": {"id": null}}})"));
  ASSERT_OK(Accepts(subnet("networkRef: {name: blue}, cidr: 10.1.0.0/16")));
}

TEST_F(Crds, LetReplacingFieldsChange) {
  ASSERT_OK(Apply(Object("compute", "KeyPair", "{forProvider: {publicKey: old}}")));
  ASSERT_OK(PatchStatus("keypairs.compute.m.apis.test", R"({"status": {"atProvider": {"id": "x"}}})"));
  ASSERT_OK(Accepts(Object("compute", "KeyPair", "{forProvider: {publicKey: new}}")));
}

TEST_F(Crds, ShowTheirColumns) {
  ASSERT_OK(Apply(Object("compute", "VirtualMachine", "{forProvider: {flavorName: small, imageName: debian}}")));
  const std::string status = R"json({"status": {
      "atProvider": {"id": "x", "node": "compute-1", "state": "Running", "networks": "blue(10.0.0.5)"},
      "conditions": [
        {"type": "Ready", "status": "True", "reason": "Available", "lastTransitionTime": "2026-01-01T00:00:00Z"},
        {"type": "Synced", "status": "False", "reason": "ReconcileError", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}})json";
  ASSERT_OK(PatchStatus("virtualmachines.compute.m.apis.test", status));
  ASSERT_OK(Kubectl({"annotate", "virtualmachines.compute.m.apis.test", "it", "-n", namespace_.name(),
                     "crossplane.io/external-name=x-1"})
                .status());
  ASSERT_OK_AND_ASSIGN(const std::string table,
                       Kubectl({"get", "virtualmachines.compute.m.apis.test", "-n", namespace_.name()}));
  const std::vector<std::string> lines = absl::StrSplit(table, '\n');
  const auto words = [](const std::string& line) {
    return std::vector<std::string>(absl::StrSplit(line, ' ', absl::SkipEmpty()));
  };
  ASSERT_GE(lines.size(), 2U) << table;
  EXPECT_EQ(words(lines[0]),
            (std::vector<std::string>{"NAME", "READY", "SYNCED", "NODE", "STATE", "NETWORKS(IP)", "EXTERNAL-NAME", "AGE"}));
  std::vector<std::string> row = words(lines[1]);
  ASSERT_EQ(row.size(), 8U) << table;
  row.pop_back();  // the age
  EXPECT_EQ(row, (std::vector<std::string>{"it", "True", "False", "compute-1", "Running", "blue(10.0.0.5)", "x-1"}));
}

TEST_F(Crds, OfAKindThatIsOneProtoAndOneExampleWork) {
  ASSERT_OK_AND_ASSIGN(const apis::Kinds kinds, LoadProto(kTwinPath, TwinProto()));
  const std::string crd = InScratchGroup(Write(apis::Crd(kinds.all().front())));
  ASSERT_OK(Apply(crd));
  ASSERT_OK(WaitFor("condition=Established", {"crd/keypairtwins.compute.m.apis.test"}, absl::Seconds(60)));
  const absl::Status example = Eventually(absl::Seconds(30), [&] { return Accepts(InScratchGroup(TwinExample())); });
  ASSERT_OK(Kubectl({"delete", "crd", "keypairtwins.compute.m.apis.test", "--wait=false"}).status());
  EXPECT_TRUE(example.ok()) << example;
}

}  // namespace
}  // namespace kupen::test
