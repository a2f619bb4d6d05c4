// Safe-start: the provider starts with none of its managed kinds, and takes up each when its CRD comes.
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "test/lab/lab.h"

namespace kupen::test {
namespace {

constexpr absl::Duration kLimit = absl::Minutes(1);
constexpr char kNetworkCrd[] = "networks.network.m.kupenstack.io";
constexpr char kSubnetCrd[] = "subnets.network.m.kupenstack.io";

// The CRDs of managed kinds, as they were applied.
absl::StatusOr<std::map<std::string, std::string>> ManagedCrds() {
  ASSIGN_OR_RETURN(rapidjson::Document list, GetJson({"crds"}));
  std::map<std::string, std::string> crds;
  for (rapidjson::Value& crd : list["items"].GetArray()) {
    const std::string name(json::String(crd, {"metadata", "name"}));
    if (!absl::EndsWith(json::String(crd, {"spec", "group"}), ".m.kupenstack.io")) continue;
    for (const char* member : {"uid", "resourceVersion", "creationTimestamp", "generation"})
      crd["metadata"].RemoveMember(member);
    crd.RemoveMember("status");
    crds[name] = json::Write(crd);
  }
  return crds;
}

absl::Status AwaitCondition(const Lab& lab, const std::string& object, const std::string& type) {
  return Eventually(kLimit, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const rapidjson::Document document, GetJson({object, absl::StrCat("--namespace=", lab.ns())}));
    return kube::IsTrue(document, type) ? absl::OkStatus() : absl::UnavailableError(json::Write(document));
  });
}

TEST(SafeStart, KindsAreTakenUpWhenTheirCrdsCome) {
  // Of its own: what kubectl finds out meanwhile is not so for others.
  setenv("KUBECACHEDIR", absl::StrCat(testing::TempDir(), "kubectl").c_str(), /*overwrite=*/1);
  Lab lab;
  ASSERT_OK(lab.status());
  ASSERT_OK_AND_ASSIGN(const auto crds, ManagedCrds());
  ASSERT_GE(crds.size(), 6U);
  std::vector<std::string> words = {"delete", "crds"};
  for (const auto& [name, crd] : crds) words.push_back(name);
  ASSERT_OK(Kubectl(words).status());

  ASSERT_OK_AND_ASSIGN(ProviderProcess provider, lab.Start());
  ASSERT_OK(AwaitCondition(lab, "providerconfigs.m.kupenstack.io/mine", "Ready"));

  ASSERT_OK(Apply(crds.at(kNetworkCrd)));
  ASSERT_OK(Eventually(kLimit, [&] {
    return lab.Apply(
        "apiVersion: network.m.kupenstack.io/v1alpha1\nkind: Network\nmetadata: {name: early, namespace: $NS}\n"
        "spec: {$CONFIG, forProvider: {mtu: 1400}}\n");
  }));
  ASSERT_OK(AwaitCondition(lab, absl::StrCat(kNetworkCrd, "/early"), "Ready"));

  ASSERT_OK(Apply(crds.at(kSubnetCrd)));
  ASSERT_OK(Eventually(kLimit, [&] {
    return lab.Apply(
        "apiVersion: network.m.kupenstack.io/v1alpha1\nkind: Subnet\nmetadata: {name: late, namespace: $NS}\n"
        "spec: {$CONFIG, forProvider: {networkRef: {name: early}, cidr: 10.1.0.0/24}}\n");
  }));
  ASSERT_OK(AwaitCondition(lab, absl::StrCat(kSubnetCrd, "/late"), "Ready"));

  for (const auto& [name, crd] : crds) ASSERT_OK(Apply(crd));
  ASSERT_OK(Eventually(kLimit, [&] { return Contains(lab.Log(), "compute.VirtualMachine"); }));
  EXPECT_EQ(provider.AwaitEnd(absl::ZeroDuration()), std::nullopt) << "it ended";
}

}  // namespace
}  // namespace kupen::test
