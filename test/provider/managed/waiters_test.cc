#include "provider/managed/waiters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kupen::managed {
namespace {

using runtime::Key;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const Key kVm{.kind = "compute.VirtualMachine", .object_namespace = "team", .name = "web"};
const Key kSubnet{.kind = "network.Subnet", .object_namespace = "team", .name = "low"};
const Key kBlue{.kind = "network.Network", .object_namespace = "team", .name = "blue"};
const Key kRed{.kind = "network.Network", .object_namespace = "team", .name = "red"};

TEST(Waiters, AreTakenOnceByWhatTheyWaitedFor) {
  Waiters waiters;
  waiters.Wait(kVm, kBlue);
  waiters.Wait(kVm, kBlue);
  waiters.Wait(kSubnet, kBlue);
  EXPECT_THAT(waiters.Take(kRed), IsEmpty());
  EXPECT_THAT(waiters.Take(kBlue), UnorderedElementsAre(kVm, kSubnet));
  EXPECT_THAT(waiters.Take(kBlue), IsEmpty());
}

TEST(Waiters, MayWaitForAnyObjectOfAKindInANamespace) {
  Waiters waiters;
  waiters.WaitForAny(kVm, "network.Network", "team");
  EXPECT_THAT(waiters.Take(kSubnet), IsEmpty());
  EXPECT_THAT(waiters.Take({.kind = "network.Network", .object_namespace = "others", .name = "blue"}), IsEmpty());
  EXPECT_THAT(waiters.Take(kRed), ElementsAre(kVm));
  EXPECT_THAT(waiters.Take(kBlue), IsEmpty());
}

}  // namespace
}  // namespace kupen::managed
