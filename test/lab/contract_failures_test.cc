// What goes wrong at each step of a reconcile: the condition, the event, and that the rest stays as it was.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "test/lab/contract.h"

namespace kupen::test {
namespace {

constexpr char kKey[] = "publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7yHAPMVqnE6XoIHBTB1KLeSYBnJqZ6mYG8bwlEyJxn";

std::string TransitionOf(const View& view, absl::string_view name, absl::string_view type) {
  const rapidjson::Value* condition = kube::FindCondition(*view.Find(name), type);
  return condition == nullptr ? "" : std::string(json::String(*condition, {"lastTransitionTime"}));
}

Expected Failed(const std::string& ready, const std::string& event, const std::string& says) {
  return {.conditions = {{"Ready", ready}, {"Synced", "False ReconcileError"}},
          .says = {says},
          .events = {absl::StrCat("Warning ", event)}};
}

void RefuseUpdates(Lab& lab, const std::string& id, int status) {
  lab.cloud().SetFaults({{.effect = Fault::Effect::kRefuse,
                          .service = "network",
                          .method = "PUT",
                          .path = absl::StrCat("/networks/", id),
                          .status = status}});
}

TEST_F(Contract, FailuresAreSaidByConditionAndEvent) {
  const std::string on_ranges = "networkRef: {name: ranges}, cidr: 10.7.0.0/24";
  ASSERT_OK(Give({{.name = "ranges"},
                  {.name = "first-range", .parameters = on_ranges, .kind = "Subnet"},
                  {.name = "not-updated"},
                  {.name = "key", .parameters = kKey, .kind = "KeyPair"},
                  {.name = "no-config", .config = "never-made"}}));
  Expected no_config = Failed("False Creating", "CannotConnectToProvider", "never-made");
  no_config.held = false;
  no_config.cloud = InCloud::kAbsent;
  ASSERT_OK(Await({{"first-range", Ready()},
                   {"not-updated", Ready()},
                   {"key", {.conditions = Ready().conditions}},
                   {"no-config", no_config}}));
  ASSERT_OK_AND_ASSIGN(const View before, View::Of(lab()));

  ASSERT_OK_AND_ASSIGN(const std::string id, IdOf("not-updated"));
  RefuseUpdates(lab(), id, 400);
  ASSERT_OK(Give({{.name = "not-updated", .parameters = "mtu: 1300"},
                  {.name = "second-range", .parameters = on_ranges, .kind = "Subnet"},
                  {.name = "key", .parameters = absl::StrCat(kKey, "Z"), .kind = "KeyPair"}}));
  Expected not_updated = Failed("True Available", "CannotUpdateExternalResource", "update failed: neutron: 400");
  not_updated.conditions["UpToDate"] = "False UpdateFailed";
  not_updated.conditions["Stalled"] = "True NeedsChange";
  not_updated.cloud = InCloud::kThere;
  not_updated.cloud_has = R"("mtu":1400)";
  Expected second_range = Failed("False Creating", "CannotCreateExternalResource", "create failed: neutron: 400");
  second_range.conditions["Stalled"] = "True NeedsChange";
  second_range.cloud = InCloud::kAbsent;
  Expected key = Failed("True Available", "CannotUpdateExternalResource", "spec.replacePolicy: WhenRequired");
  key.conditions["UpToDate"] = "False UpdateRestricted";
  ASSERT_OK(Await({{"not-updated", not_updated}, {"second-range", second_range}, {"key", key}}));
  ASSERT_OK_AND_ASSIGN(const View failed, View::Of(lab()));

  // Another message is no transition.
  RefuseUpdates(lab(), id, 403);
  ASSERT_OK(Give({{.name = "not-updated", .parameters = "mtu: 1200"}}));
  not_updated.says = {"update failed: neutron: 403"};
  // A right may be given without a change of the spec.
  not_updated.conditions.erase("Stalled");
  not_updated.conditions["Reconciling"] = "True Progressing";
  ASSERT_OK(Await({{"not-updated", not_updated}}));
  ASSERT_OK_AND_ASSIGN(const View again, View::Of(lab()));
  EXPECT_EQ(TransitionOf(again, "not-updated", "Synced"), TransitionOf(failed, "not-updated", "Synced"));
  EXPECT_EQ(TransitionOf(again, "not-updated", "Ready"), TransitionOf(before, "not-updated", "Ready"));

  lab().cloud().SetFaults({});
  ASSERT_OK(Give({{.name = "not-updated", .parameters = "mtu: 1100"}}));
  Expected updated = ReadyWith(R"("mtu":1100)");
  updated.events = {"Normal UpdatedExternalResource"};
  ASSERT_OK(Await({{"not-updated", updated}}));
  ASSERT_OK(Delete({"second-range"}, "Subnet"));
  ASSERT_OK(Delete({"no-config"}));
  ASSERT_OK(Await(ForEach({"second-range", "no-config"}, Gone())));
}

TEST_F(Contract, EventsNameTheObjectAndItsExternalName) {
  ASSERT_OK(Give({{.name = "told"}}));
  Expected told = Ready();
  told.events = {"Normal CreatedExternalResource"};
  ASSERT_OK(Await({{"told", told}}));
  ASSERT_OK_AND_ASSIGN(const View view, View::Of(lab()));
  const rapidjson::Value& object = *view.Find("told");
  const rapidjson::Value& event = *view.Events("told").front();
  EXPECT_EQ(json::String(event, {"involvedObject", "uid"}), json::String(object, {"metadata", "uid"}));
  EXPECT_EQ(json::String(event, {"involvedObject", "kind"}), "Network");
  EXPECT_EQ(json::String(event, {"metadata", "annotations", "external-name"}),
            json::String(object, {"metadata", "annotations", "crossplane.io/external-name"}));
  EXPECT_EQ(json::String(event, {"source", "component"}), "provider-kupenstack");
}

}  // namespace
}  // namespace kupen::test
