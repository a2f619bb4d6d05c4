// Annotations by which users say when the provider is to look: paused, poll-interval, reconcile-requested-at.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/lab/contract.h"

namespace kupen::test {
namespace {

constexpr char kPaused[] = R"(annotations: {crossplane.io/paused: "true"}, )";

TEST_F(Contract, APauseStopsEverythingDeletionIncluded) {
  ASSERT_OK(Give({{.name = "born-paused", .metadata = kPaused}, {.name = "paused-later"}, {.name = "runs"}}));
  const Expected paused{.conditions = {{"Synced", "False ReconcilePaused"}}, .events = {"Normal ReconciliationPaused"}};
  Expected born_paused = paused;
  born_paused.held = false;
  born_paused.cloud = InCloud::kAbsent;
  ASSERT_OK(Await({{"born-paused", born_paused}, {"paused-later", Ready()}, {"runs", Ready()}}));

  // Neither a wish nor a change behind its back is acted upon, and what is known stays to be seen.
  ASSERT_OK_AND_ASSIGN(const std::string id, IdOf("paused-later"));
  ASSERT_OK(Give(
      {{.name = "paused-later", .parameters = "mtu: 1300", .metadata = kPaused}, {.name = "runs", .parameters = "mtu: 1300"}}));
  Expected paused_later = paused;
  paused_later.conditions["Ready"] = "True Available";
  paused_later.held = true;
  paused_later.cloud = InCloud::kThere;
  paused_later.cloud_has = "\"mtu\":1400";
  ASSERT_OK(Await({{"paused-later", paused_later}, {"runs", ReadyWith(R"("mtu":1300)")}}));
  ASSERT_TRUE(lab().cloud().ChangeObject(kNetworks, id, "mtu", "1200"));
  ASSERT_OK(Annotate({"paused-later"}, "crossplane.io/reconcile-requested-at=now"));
  ASSERT_OK(AwaitLists(2));
  paused_later.cloud_has = "\"mtu\":1200";
  paused_later.no_events = {"Normal UpdatedExternalResource", "Normal ReconcileRequestHandled"};

  ASSERT_OK(Delete({"paused-later", "runs"}));
  ASSERT_OK(Await({{"runs", Gone()}}));
  ASSERT_OK(AwaitLists(2));
  ASSERT_OK(Await({{"paused-later", paused_later}}));
  EXPECT_EQ(CountRequests("DELETE", "/networks/{id}"), 1);

  ASSERT_OK(Annotate({"paused-later", "born-paused"}, "crossplane.io/paused-"));
  ASSERT_OK(Await({{"paused-later", Gone()}, {"born-paused", Ready()}}));
}

TEST_F(Contract, TheCloudIsAskedAsOftenAsUsersWant) {
  ASSERT_OK(Give({{.name = "polled", .metadata = R"(annotations: {crossplane.io/poll-interval: 5s}, )"},
                  {.name = "polled-wrongly", .metadata = R"(annotations: {crossplane.io/poll-interval: often}, )"},
                  {.name = "asked"}}));
  ASSERT_OK(Await(ForEach({"polled", "polled-wrongly", "asked"}, Ready())));

  lab().cloud().ResetRequests();
  ASSERT_OK(Annotate({"asked"}, "crossplane.io/reconcile-requested-at=token-1"));
  ASSERT_OK(Await({{"asked", {.conditions = Ready().conditions, .events = {"Normal ReconcileRequestHandled"}}}}));
  ASSERT_OK_AND_ASSIGN(const View view, View::Of(lab()));
  EXPECT_EQ(json::String(*view.Find("asked"), {"status", "lastHandledReconcileAt"}), "token-1");
  EXPECT_EQ(json::Find(*view.Find("polled"), {"status", "lastHandledReconcileAt"}), nullptr);

  // Once for the token; all others are the poll's.
  ASSERT_OK(Eventually(kSoon, [] {
    const int asked = CountRequests("GET", "/networks/{id}");
    return asked >= 2 ? absl::OkStatus() : absl::UnavailableError(absl::StrCat(asked, " questions"));
  }));
  EXPECT_EQ(CountRequests("PUT", "/networks/{id}"), 0);
  ASSERT_OK(Annotate({"polled"}, "crossplane.io/poll-interval-"));
}

}  // namespace
}  // namespace kupen::test
