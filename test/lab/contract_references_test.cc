// References and selectors, with their policies: resolved in memory, kept in the status, never written into a spec.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/lab/contract.h"

namespace kupen::test {
namespace {

// Each on its own range: two of a network must not overlap.
Given Subnet(const std::string& name, int range, const std::string& reference, const std::string& metadata = "") {
  return {.name = name,
          .parameters = absl::Substitute("cidr: 10.$0.0.0/24, $1", range, reference),
          .metadata = metadata,
          .kind = "Subnet"};
}

Given Network(const std::string& name, const std::string& labels) {
  return {.name = name, .metadata = absl::StrCat("labels: {", labels, "}, ")};
}

Expected Unresolved(const std::string& says) {
  return {.conditions = {{"Ready", "False Creating"}, {"Synced", "False ReconcileError"}, {"Reconciling", "True Progressing"}},
          .says = {"cannot resolve references: spec.forProvider.network", says},
          .events = {"Warning CannotResolveResourceReferences"},
          .held = false,
          .cloud = InCloud::kAbsent};
}

// On which network, by its name.
std::string NetworkOf(const View& view, absl::string_view subnet) {
  const rapidjson::Value* object = view.Find(subnet);
  const auto references = json::Array(*object, {"status", "references"});
  return references.Empty() ? "" : std::string(json::String(references[0], {"object"}));
}

TEST_F(Contract, ReferencesAreResolvedAsTheirPoliciesSay) {
  ASSERT_OK(Give(
      {Subnet("by-ref", 1, "networkRef: {name: ref-later}"),
       Subnet("by-labels", 2, "networkSelector: {matchLabels: {tier: later}}"),
       Subnet("by-ref-always", 3, "networkRef: {name: ref-later, policy: {resolve: Always}}"),
       Subnet("by-labels-always", 4, "networkSelector: {matchLabels: {tier: later}, policy: {resolve: Always}}"),
       {.name = "optional-key",
        .parameters = "flavorName: m1.tiny, imageName: cirros, networks: [{networkName: public}], "
                      "keyPairRef: {name: never, policy: {resolution: Optional}}",
        .kind = "VirtualMachine"},
       {.name = "required-key",
        .parameters = "flavorName: m1.tiny, imageName: cirros, networks: [{networkName: public}], keyPairRef: {name: never}",
        .kind = "VirtualMachine"}}));
  Expected no_key = Unresolved("there is no KeyPair never in this namespace yet");
  no_key.says[0] = "cannot resolve references: spec.forProvider.keyPair";
  ASSERT_OK(Await({{"by-ref", Unresolved("there is no Network ref-later in this namespace yet")},
                   {"by-ref-always", Unresolved("there is no Network ref-later in this namespace yet")},
                   {"by-labels", Unresolved("no Network of this namespace matches yet")},
                   {"by-labels-always", Unresolved("no Network of this namespace matches yet")},
                   {"optional-key", Ready()},
                   {"required-key", no_key}}));
  EXPECT_EQ(CountRequests("POST", "/subnets"), 0);

  // The first by name of those that match; whoever waits goes on by itself.
  ASSERT_OK(Give({Network("ref-later", ""), Network("ref-second", "tier: later")}));
  const std::vector<std::string> subnets = {"by-ref", "by-ref-always", "by-labels", "by-labels-always"};
  ASSERT_OK(Await(ForEach(subnets, Ready())));
  ASSERT_OK(Give({Network("ref-first", "tier: later")}));
  Expected restricted = Ready();
  restricted.conditions = {
      {"Ready", "True Available"}, {"Synced", "False ReconcileError"}, {"UpToDate", "False UpdateRestricted"}};
  restricted.says = {"networkID"};
  // Only who wants it looked up each time is told of another, which its network cannot become.
  ASSERT_OK(Await({{"ref-first", Ready()}}));
  ASSERT_OK(lab().Run({"annotate", "subnets.network.m.kupenstack.io", "--all", "example.com/look=again"}).status());
  ASSERT_OK(Await({{"by-labels-always", restricted}, {"by-labels", Ready()}, {"by-ref-always", Ready()}}));
  ASSERT_OK_AND_ASSIGN(const View view, View::Of(lab()));
  EXPECT_EQ(NetworkOf(view, "by-labels"), "ref-second");
  EXPECT_EQ(NetworkOf(view, "by-ref"), "ref-later");
  for (const std::string& name : subnets) {
    EXPECT_EQ(json::Find(*view.Find(name), {"spec", "forProvider", "networkID"}), nullptr) << name;
  }

  // A deletion resolves nothing: it needs not what is gone by then.
  ASSERT_OK(PatchNetwork("ref-later", R"({"spec":{"managementPolicies":["Observe","Create"]}})"));
  ASSERT_OK(Delete({"ref-later"}));
  ASSERT_OK(Await({{"ref-later", Orphaned()}, {"by-ref-always", {.conditions = {{"Synced", "False ReconcileError"}}}}}));
  ASSERT_OK(Delete(subnets, "Subnet"));
  ASSERT_OK(Delete({"required-key", "optional-key"}, "VirtualMachine"));
  ASSERT_OK(
      Await(ForEach({"by-ref", "by-ref-always", "by-labels", "by-labels-always", "required-key", "optional-key"}, Gone())));
}

TEST_F(Contract, ASelectorMayWantTheSameController) {
  ASSERT_OK(
      lab().Apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ours, namespace: $NS}\n---\n"
                  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: theirs, namespace: $NS}\n"));
  const auto owned_by = [](const std::string& owner) -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const std::string uid, lab().Run({"get", "configmap", owner, "--output=jsonpath={.metadata.uid}"}));
    return absl::Substitute("ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: $0, uid: $1, controller: true}], ",
                            owner, uid);
  };
  ASSERT_OK_AND_ASSIGN(const std::string by_us, owned_by("ours"));
  ASSERT_OK_AND_ASSIGN(const std::string by_them, owned_by("theirs"));
  ASSERT_OK(Give({{.name = "a-composed", .metadata = absl::StrCat("labels: {tier: same}, ", by_them)},
                  {.name = "b-composed", .metadata = absl::StrCat("labels: {tier: same}, ", by_us)},
                  Subnet("composed", 5, "networkSelector: {matchLabels: {tier: same}, matchControllerRef: true}", by_us),
                  Subnet("not-composed", 6, "networkSelector: {matchLabels: {tier: same}}")}));
  ASSERT_OK(Await(ForEach({"a-composed", "b-composed", "composed", "not-composed"}, Ready())));
  ASSERT_OK_AND_ASSIGN(const View view, View::Of(lab()));
  EXPECT_EQ(NetworkOf(view, "composed"), "b-composed");
  EXPECT_EQ(NetworkOf(view, "not-composed"), "a-composed");
}

}  // namespace
}  // namespace kupen::test
