#include "provider/managed/waiters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kupen::managed {
namespace {

using runtime::Key;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Key Vm() { return {.kind = "compute.VirtualMachine", .object_namespace = "team", .name = "web"}; }
Key Subnet() { return {.kind = "network.Subnet", .object_namespace = "team", .name = "low"}; }
Key Blue() { return {.kind = "network.Network", .object_namespace = "team", .name = "blue"}; }
Key Red() { return {.kind = "network.Network", .object_namespace = "team", .name = "red"}; }

TEST(Waiters, AreTakenOnceByWhatTheyWaitedFor) {
  Waiters waiters;
  waiters.Wait(Vm(), Blue());
  waiters.Wait(Vm(), Blue());
  waiters.Wait(Subnet(), Blue());
  EXPECT_THAT(waiters.Take(Red()), IsEmpty());
  EXPECT_THAT(waiters.Take(Blue()), UnorderedElementsAre(Vm(), Subnet()));
  EXPECT_THAT(waiters.Take(Blue()), IsEmpty());
}

TEST(Waiters, MayWaitForAnyObjectOfAKindInANamespace) {
  Waiters waiters;
  waiters.WaitForAny(Vm(), "network.Network", "team");
  EXPECT_THAT(waiters.Take(Subnet()), IsEmpty());
  EXPECT_THAT(waiters.Take({.kind = "network.Network", .object_namespace = "others", .name = "blue"}), IsEmpty());
  EXPECT_THAT(waiters.Take(Red()), ElementsAre(Vm()));
  EXPECT_THAT(waiters.Take(Blue()), IsEmpty());
}

}  // namespace
}  // namespace kupen::managed
