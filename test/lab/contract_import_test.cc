// What is in the cloud already: imported, observed, somebody else's; and initProvider, which counts at the creation alone.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/lab/contract.h"

namespace kupen::test {
namespace {

constexpr char kNobodys[] = "11111111-2222-4333-8444-555555555555";
constexpr char kFlavor[] = "vcpus: 1, ram: 512, disk: 1";
constexpr char kObserve[] = "managementPolicies: [Observe], ";

std::string Named(const std::string& id, const std::string& more = "") {
  return absl::StrCat("annotations: {crossplane.io/external-name: ", id, more, "}, ");
}

Expected NotFound(const std::string& says) {
  return {.conditions = {{"Synced", "False ReconcileError"}},
          .says = {"observe failed: ", says},
          .events = {"Warning CannotObserveExternalResource"},
          .cloud = InCloud::kAbsent};
}

TEST_F(Contract, WhatTheCloudHasIsImportedOrOnlyObserved) {
  ASSERT_OK_AND_ASSIGN(const std::string imported, MakeForeign("imported"));
  ASSERT_OK_AND_ASSIGN(const std::string observed, MakeForeign("observed"));
  ASSERT_OK_AND_ASSIGN(const std::string promoted, MakeForeign("promoted"));
  ASSERT_OK(MakeForeign("found").status());
  ASSERT_OK(Give({{.name = "imported", .parameters = "mtu: 1300", .metadata = Named(imported)},
                  {.name = "observed", .parameters = "mtu: 1300", .spec = kObserve, .metadata = Named(observed)},
                  {.name = "promoted", .parameters = "mtu: 1300", .spec = kObserve, .metadata = Named(promoted)},
                  {.name = "found", .parameters = "name: found", .spec = kObserve},
                  {.name = "not-found", .parameters = "name: not-found", .spec = kObserve},
                  {.name = "not-there", .parameters = "", .spec = kObserve, .metadata = Named(kNobodys)},
                  {.name = "wrong-name", .metadata = Named(kNobodys)},
                  {.name = "chosen-id", .parameters = kFlavor, .metadata = Named("my-size"), .kind = "Flavor"}}));
  ASSERT_OK(Await({{"imported", ReadyWith(R"("mtu":1300)")},
                   {"observed", ReadyWith(R"("mtu":1400)")},
                   {"promoted", ReadyWith(R"("mtu":1400)")},
                   {"found", Ready()},
                   {"not-found", NotFound("nothing among networks")},
                   {"not-there", NotFound("has no Create")},
                   {"wrong-name", NotFound("remove the annotation")},
                   {"chosen-id", ReadyWith(R"("id":"my-size")")}}));
  EXPECT_EQ(CountRequests("POST", "/networks"), 0);
  EXPECT_EQ(CountRequests("PUT", "/networks/{id}"), 1);
  ASSERT_OK_AND_ASSIGN(const View view, View::Of(lab()));
  EXPECT_EQ(json::String(*view.FindInCloud("imported"), {"description"}), "") << "what was imported gets no marker";
  EXPECT_EQ(json::String(*view.Find("observed"), {"status", "atProvider", "name"}), "observed");

  // Another that names the same; full management of what was only observed; no name instead of a wrong one; a lost name.
  ASSERT_OK(Give({{.name = "rival", .parameters = "mtu: 1200", .metadata = Named(imported)},
                  {.name = "promoted", .parameters = "mtu: 1300", .metadata = Named(promoted)},
                  {.name = "wrong-name"}}));
  ASSERT_OK(Annotate({"imported"}, "crossplane.io/external-name-"));
  Expected updated = ReadyWith(R"("mtu":1300)");
  updated.events = {"Normal UpdatedExternalResource"};
  Expected created = Ready();
  created.events = {"Normal CreatedExternalResource"};
  ASSERT_OK(
      Await({{"imported", updated}, {"rival", NotFound("is managed by")}, {"promoted", updated}, {"wrong-name", created}}));

  ASSERT_OK(Delete({"observed", "found", "not-found", "not-there", "rival"}));
  ASSERT_OK(Await(
      {{"observed", Orphaned()}, {"found", Orphaned()}, {"not-found", Gone()}, {"not-there", Gone()}, {"rival", Gone()}}));
  ASSERT_OK(Await({{"imported", updated}}));
  ASSERT_OK(Delete({"imported", "promoted", "wrong-name"}));
  ASSERT_OK(Await(ForEach({"imported", "promoted", "wrong-name"}, Gone())));
}

// Rule 15: two clusters never have one object.
TEST_F(Contract, AnotherClustersObjectIsLeftAloneUntilToldOtherwise) {
  const std::string marker = "[kupen:0badc0de:7b0b2f0e-0000-4000-8000-000000000000]";
  ASSERT_OK_AND_ASSIGN(const std::string id, MakeForeign("theirs", marker));
  ASSERT_OK_AND_ASSIGN(const std::string other, MakeForeign("theirs-too", marker));
  const std::string take_over = R"(, m.kupenstack.io/take-over: "true")";
  ASSERT_OK(Give({{.name = "theirs", .parameters = "mtu: 1300", .metadata = Named(id)},
                  {.name = "theirs-too", .parameters = "mtu: 1300", .metadata = Named(other, take_over)}}));
  Expected refused{.conditions = {{"Synced", "False ReconcileError"}, {"Stalled", "True NeedsChange"}},
                   .says = {"belongs to another Kubernetes cluster (0badc0de)", "take-over"},
                   .events = {"Warning CannotObserveExternalResource"},
                   .cloud = InCloud::kThere,
                   .cloud_has = "0badc0de"};
  Expected taken = ReadyWith(R"("mtu":1300)");
  taken.events = {"Normal TookOverExternalResource", "Normal UpdatedExternalResource"};
  ASSERT_OK(Await({{"theirs", refused}, {"theirs-too", taken}}));
  ASSERT_OK(Delete({"theirs", "theirs-too"}));
  ASSERT_OK(Await({{"theirs", Orphaned()}, {"theirs-too", Gone()}}));
}

TEST_F(Contract, InitProviderCountsAtTheCreationAlone) {
  const Given given{.name = "begun", .parameters = "description: wanted", .spec = "initProvider: {mtu: 1300}, "};
  ASSERT_OK(Give({given}));
  ASSERT_OK(Await({{"begun", ReadyWith(R"("mtu":1300)")}}));
  ASSERT_OK_AND_ASSIGN(const std::string id, IdOf("begun"));

  // Another wish for the beginning comes too late, and what somebody makes of it is his; what is in forProvider is not.
  Given changed = given;
  changed.spec = "initProvider: {mtu: 1200}, ";
  ASSERT_OK(Give({changed}));
  ASSERT_TRUE(lab().cloud().ChangeObject(kNetworks, id, "mtu", "1100"));
  ASSERT_TRUE(lab().cloud().ChangeObject(kNetworks, id, "description", "\"changed\""));
  Expected kept = ReadyWith(R"("mtu":1100)");
  kept.conditions["UpToDate"] = "True ObserveMatched";
  kept.events = {"Normal UpdatedExternalResource"};
  ASSERT_OK(Await({{"begun", kept}}));
  ASSERT_OK(AwaitLists(2));
  kept.cloud_has = R"("description":"wanted)";
  ASSERT_OK(Await({{"begun", kept}}));
  kept.cloud_has = R"("mtu":1100)";
  ASSERT_OK(Await({{"begun", kept}}));
  EXPECT_EQ(CountRequests("PUT", "/networks/{id}"), 1);
}

}  // namespace
}  // namespace kupen::test
