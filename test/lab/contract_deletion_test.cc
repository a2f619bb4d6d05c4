// Deletion: what waits, what is said meanwhile, and that nothing is left behind in the cloud.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "test/lab/contract.h"

namespace kupen::test {
namespace {

// Whatever holds it.
absl::Status DeleteByForce(const Lab& lab, const std::string& object) {
  RETURN_IF_ERROR(lab.Run({"delete", object, "--wait=false"}).status());
  return lab.Run({"patch", object, "--type=merge", R"(--patch={"metadata":{"finalizers":null}})"}).status();
}

TEST_F(Contract, ADeletionWaitsAndSaysWhyAndLeavesNothingBehind) {
  const std::string yaml = lab().cloud().CloudsYaml();
  ASSERT_OK(lab().Apply(absl::StrCat(SecretManifest("doomed", yaml), ConfigManifest("doomed"),
                                     SecretManifest("penniless", yaml), ConfigManifest("penniless"))));
  const std::vector<std::string> all = {"goes", "held-by-others", "in-use", "without-config", "without-secret", "left-alone"};
  ASSERT_OK(Give({{.name = "goes"},
                  {.name = "held-by-others", .metadata = "finalizers: [example.com/hold], "},
                  {.name = "in-use"},
                  {.name = "without-config", .config = "doomed"},
                  {.name = "without-secret", .config = "penniless"},
                  {.name = "left-alone", .spec = "managementPolicies: [Observe, Create, Update], ", .config = "doomed"}}));
  ASSERT_OK(Await(ForEach(all, Ready())));

  ASSERT_OK_AND_ASSIGN(const std::string in_use, IdOf("in-use"));
  lab().cloud().AddFault({.effect = Fault::Effect::kRefuse,
                          .service = "network",
                          .method = "DELETE",
                          .path = absl::StrCat("/networks/", in_use),
                          .status = 409});
  ASSERT_OK(DeleteByForce(lab(), "providerconfigs.m.kupenstack.io/doomed"));
  ASSERT_OK(DeleteByForce(lab(), "secret/penniless"));
  const Expected cut_off{.conditions = {{"Ready", "True Available"}, {"Synced", "False ReconcileError"}},
                         .events = {"Warning CannotConnectToProvider"},
                         .held = true,
                         .cloud = InCloud::kThere};
  Expected without_config = cut_off;
  without_config.says = {"ProviderConfig", "doomed"};
  Expected without_secret = cut_off;
  without_secret.says = {"Secret", "penniless"};
  ASSERT_OK(Await({{"without-config", without_config}, {"without-secret", without_secret}}));

  ASSERT_OK(Delete(all));
  ASSERT_OK(Await(
      {{"goes", {.gone = true, .events = {"Normal DeletedExternalResource"}, .cloud = InCloud::kAbsent}},
       {"left-alone", Orphaned()},
       {"in-use",
        {.conditions = {{"Ready", "False Deleting"}, {"Synced", "False ReconcileError"}, {"Reconciling", "True Progressing"}},
         .says = {"delete failed: neutron: 409"},
         .events = {"Warning CannotDeleteExternalResource"},
         .held = true,
         .cloud = InCloud::kThere}},
       {"held-by-others", {.held = true, .cloud = InCloud::kThere}},
       {"without-config", without_config},
       {"without-secret", without_secret}}));
  // Two looks later it is still so.
  ASSERT_OK(AwaitLists(2));
  ASSERT_OK(Await(ForEach({"held-by-others", "without-config", "without-secret"}, {.held = true, .cloud = InCloud::kThere})));

  lab().cloud().SetFaults({});
  ASSERT_OK(PatchNetwork("held-by-others", R"({"metadata":{"finalizers":["finalizer.managedresource.crossplane.io"]}})"));
  ASSERT_OK(lab().Apply(absl::StrCat(ConfigManifest("doomed"), SecretManifest("penniless", yaml))));
  ASSERT_OK(Await(ForEach({"held-by-others", "in-use", "without-config", "without-secret"},
                          {.gone = true, .events = {"Normal DeletedExternalResource"}, .cloud = InCloud::kAbsent})));
}

}  // namespace
}  // namespace kupen::test
