// What goes wrong in a cloud and on the way to it: afterwards all is as it was asked for, once, and nobody had to help.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "test/lab/four_kinds.h"
#include "test/lab/lab.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

using Effect = Fault::Effect;

constexpr absl::Duration kLimit = absl::Minutes(2);

// Created and deleted, while that happens to the cloud.
void LiveThrough(Lab& lab, const std::vector<Fault>& faults) {
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> before, lab.CloudObjects());
  lab.cloud().SetFaults(faults);
  ASSERT_OK(lab.Apply(kFourKinds));
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllReady(kFourObjects); }));
  EXPECT_EQ(lab.CloudObjects().value_or(before), WithTheFour(before));
  for (const Fault& fault : lab.cloud().faults()) EXPECT_GT(fault.hits, 0) << "nothing went wrong";

  lab.cloud().SetFaults(faults);
  ASSERT_OK(lab.Run({"delete", "managed", "--all", "--wait=false"}).status());
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllGone(); }));
  EXPECT_EQ(lab.CloudObjects().value_or(WithTheFour(before)), before);
}

TEST(Faults, OfACloudAndOnTheWayToIt) {
  const std::map<std::string, std::vector<Fault>> troubles = {
      {"connections that break before they have an effect",
       {{.effect = Effect::kDrop, .service = "network", .method = "POST", .times = 2},
        {.effect = Effect::kDrop, .service = "compute", .times = 6}}},
      {"connections that break after they had an effect",
       {{.effect = Effect::kDropAfter, .service = "network", .method = "POST", .times = 1},
        {.effect = Effect::kDropAfter, .service = "compute", .method = "POST", .path = "/servers", .times = 1},
        {.effect = Effect::kDropAfter, .service = "compute", .method = "POST", .path = "/flavors", .times = 1}}},
      {"gateways that lose patience",
       {{.effect = Effect::kRefuseAfter, .service = "network", .method = "POST", .times = 1, .status = 504},
        {.effect = Effect::kRefuseAfter,
         .service = "compute",
         .method = "POST",
         .path = "/servers",
         .times = 1,
         .status = 502}}},
      {"services that are busy",
       {{.effect = Effect::kRefuse, .service = "network", .times = 2, .status = 429, .retry_after = 1},
        {.effect = Effect::kRefuse, .service = "compute", .times = 2, .status = 503, .retry_after = 1},
        {.effect = Effect::kRefuse, .service = "identity", .times = 1, .status = 500}}},
      {"slow answers", {{.effect = Effect::kDelay, .delay = absl::Milliseconds(700)}}}};
  Lab lab;
  ASSERT_OK(lab.status());
  for (const auto& [name, faults] : troubles) {
    SCOPED_TRACE(name);
    LiveThrough(lab, faults);
    if (HasFatalFailure()) return;
  }
}

TEST(Faults, TokensThatAreNoLongerGood) {
  Lab lab;
  ASSERT_OK(lab.status());
  ASSERT_OK(lab.Apply(kFourKinds));
  ASSERT_OK(lab.RunUntil(kLimit, [&] { return lab.AllReady(kFourObjects); }));
  ASSERT_OK_AND_ASSIGN(const std::multiset<std::string> with_ours, lab.CloudObjects());
  ASSERT_OK_AND_ASSIGN(const ProviderProcess provider, lab.Start());
  lab.cloud().ExpireTokens();
  ASSERT_OK(lab.Apply(absl::StrReplaceAll(kFourKinds, {{"mtu: 1400", "mtu: 1300"}})));
  ASSERT_OK(Eventually(
      kLimit, [&] { return CountMtu(lab, 1300) == 1 ? absl::OkStatus() : absl::UnavailableError("not changed yet"); }));
  EXPECT_EQ(lab.CloudObjects().value_or(std::multiset<std::string>()), with_ours);
}

}  // namespace
}  // namespace kupen::test
