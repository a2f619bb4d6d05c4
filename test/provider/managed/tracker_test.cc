#include "provider/managed/tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "test/fakes/fake_clock.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::test {
namespace {

using runtime::Key;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kNetwork[] = "network.Network";
Key Blue() { return {.kind = kNetwork, .object_namespace = "team", .name = "blue"}; }
Key Red() { return {.kind = kNetwork, .object_namespace = "team", .name = "red"}; }

class TrackerTest : public testing::Test {
 protected:
  TrackerTest() {
    cloud_.Serve([](const http::Request&) { return http::Response{.status = 500, .headers = {}, .body = ""}; });
  }

  std::shared_ptr<access::Scope> NewScope() {
    return std::make_shared<access::Scope>(
        cloud_.config(), cloud_.transports(), clock_,
        access::ScopeEvents{.on_change = [this](const std::string& kind,
                                                const openstack::MirrorChange& change) { tracker_.OwnersOf(kind, change.id); },
                            .on_doubt = [](const std::string&, const std::string&) {}});
  }
  static openstack::Mirror& MirrorOf(access::Scope& scope) {
    return scope.MirrorOf(kNetwork, [] {
      return openstack::MirrorSpec{.rest = {.service = "network", .path = "/networks", .list_key = "networks"},
                                   .fields = {"id"},
                                   .marker_of = [](const rapidjson::Value&) { return std::string(); }};
    });
  }

  FakeClock clock_;
  FakeCloud cloud_;
  managed::Tracker tracker_;
};

TEST_F(TrackerTest, KnowsTheOwner) {
  const std::shared_ptr<access::Scope> scope = NewScope();
  tracker_.Track(Blue(), scope, MirrorOf(*scope), "n-1");
  EXPECT_THAT(tracker_.OwnersOf(kNetwork, "n-1"), ElementsAre(Blue()));
  EXPECT_THAT(tracker_.OwnersOf("network.Subnet", "n-1"), IsEmpty());
  EXPECT_TRUE(MirrorOf(*scope).Find("n-1").has_value());
  tracker_.Untrack(Blue());
  EXPECT_THAT(tracker_.OwnersOf(kNetwork, "n-1"), IsEmpty());
  EXPECT_FALSE(MirrorOf(*scope).Find("n-1").has_value());
  tracker_.Untrack(Blue());
}

TEST_F(TrackerTest, AnotherIdTakesThePlaceOfTheFirst) {
  const std::shared_ptr<access::Scope> scope = NewScope();
  tracker_.Track(Blue(), scope, MirrorOf(*scope), "n-1");
  tracker_.Track(Blue(), scope, MirrorOf(*scope), "n-2");
  EXPECT_THAT(tracker_.OwnersOf(kNetwork, "n-1"), IsEmpty());
  EXPECT_THAT(tracker_.OwnersOf(kNetwork, "n-2"), ElementsAre(Blue()));
  EXPECT_FALSE(MirrorOf(*scope).Find("n-1").has_value());
}

TEST_F(TrackerTest, AnotherOwnerOfAnIdIsNotForgottenWithTheFirst) {
  const std::shared_ptr<access::Scope> scope = NewScope();
  tracker_.Track(Blue(), scope, MirrorOf(*scope), "n-1");
  tracker_.Track(Red(), scope, MirrorOf(*scope), "n-1");
  tracker_.Untrack(Blue());
  EXPECT_THAT(tracker_.OwnersOf(kNetwork, "n-1"), ElementsAre(Red()));
  EXPECT_TRUE(MirrorOf(*scope).Find("n-1").has_value());
}

TEST_F(TrackerTest, KeepsAScopeUntilItsLastObjectHasAnother) {
  std::shared_ptr<access::Scope> scope = NewScope();
  const std::weak_ptr<access::Scope> before = scope;
  openstack::Mirror& mirror = MirrorOf(*scope);
  tracker_.Track(Blue(), scope, mirror, "n-1");
  tracker_.Track(Red(), std::move(scope), mirror, "n-2");
  EXPECT_FALSE(before.expired());
  const std::shared_ptr<access::Scope> after = NewScope();
  tracker_.Track(Blue(), after, MirrorOf(*after), "n-1");
  EXPECT_FALSE(before.expired());
  tracker_.Track(Red(), after, MirrorOf(*after), "n-2");
  EXPECT_TRUE(before.expired());
  EXPECT_THAT(tracker_.OwnersOf(kNetwork, "n-1"), ElementsAre(Blue()));
}

TEST_F(TrackerTest, ClearLetsAllScopesGo) {
  std::shared_ptr<access::Scope> scope = NewScope();
  const std::weak_ptr<access::Scope> before = scope;
  openstack::Mirror& mirror = MirrorOf(*scope);
  tracker_.Track(Blue(), std::move(scope), mirror, "n-1");
  tracker_.Clear();
  EXPECT_TRUE(before.expired());
  EXPECT_THAT(tracker_.OwnersOf(kNetwork, "n-1"), IsEmpty());
}

}  // namespace
}  // namespace kupen::test
