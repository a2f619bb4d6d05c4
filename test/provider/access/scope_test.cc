#include "provider/access/scope.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/transport.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::access {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const ConfigRef& ClusterDefault() {
  static const auto* const kRef = new ConfigRef{.kind = std::string(kClusterProviderConfig), .ns = "", .name = "default"};
  return *kRef;
}

bool ServesTeamA(absl::string_view ns) { return ns == "team-a"; }

openstack::MirrorSpec NetworkMirror() {
  return {.rest = {.service = "network", .path = "/networks", .item_key = "network", .list_key = "networks"},
          .fields = {"id", "name"},
          .marker_of = [](const rapidjson::Value&) { return std::string("kupen:ours"); }};
}

class ScopeTest : public testing::Test {
 protected:
  ScopeTest() {
    cloud_.Serve([](const http::Request&) {
      return http::Response{.status = 200, .body = R"({"networks": [{"id": "n1", "name": "blue"}]})"};
    });
  }

  std::shared_ptr<Scope> NewScope() {
    return std::make_shared<Scope>(cloud_.config(), cloud_.transports(), clock_,
                                   ScopeEvents{.on_change =
                                                   [this](const std::string& kind, const openstack::MirrorChange& change) {
                                                     const std::lock_guard guard(mutex_);
                                                     changes_.push_back(kind + " " + change.id);
                                                     changed_.notify_all();
                                                   },
                                               .on_doubt = [](const std::string&, const std::string&) {}});
  }

  std::vector<std::string> AwaitChanges() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !changes_.empty(); });
    return changes_;
  }

  test::FakeClock clock_;
  test::FakeCloud cloud_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> changes_;
};

TEST_F(ScopeTest, StartsAMirrorOncePerKindAndTellsItsChanges) {
  const std::shared_ptr<Scope> scope = NewScope();
  int specs = 0;
  const auto spec = [&specs] {
    ++specs;
    return NetworkMirror();
  };
  const openstack::Mirror& mirror = scope->MirrorOf("network.Network", spec);
  EXPECT_THAT(AwaitChanges(), ElementsAre("network.Network n1"));
  EXPECT_TRUE(mirror.Find("n1").has_value());
  EXPECT_EQ(&scope->MirrorOf("network.Network", spec), &mirror);
  EXPECT_EQ(specs, 1);
  EXPECT_NE(&scope->MirrorOf("network.Subnet", spec), &mirror);
}

TEST_F(ScopeTest, EndsWhileItsMirrorsWait) {
  std::shared_ptr<Scope> scope = NewScope();
  scope->MirrorOf("network.Network", NetworkMirror);
  clock_.AwaitWaiters(1);
  scope.reset();  // returns: the clock stands still, so only a stop ends the wait
}

TEST_F(ScopeTest, WhatIsNotKnownYetMayComeUntilAllIsKnown) {
  Scopes scopes;
  EXPECT_TRUE(absl::IsUnavailable(scopes.Find(ClusterDefault(), "team-a").status()));
  scopes.Expect(ClusterDefault());
  scopes.SetComplete();
  EXPECT_TRUE(absl::IsUnavailable(scopes.Find(ClusterDefault(), "team-a").status()));

  const absl::Status none = scopes.Find({.kind = "ProviderConfig", .ns = "team-a", .name = "mine"}, "team-a").status();
  EXPECT_TRUE(absl::IsNotFound(none));
  EXPECT_EQ(none.message(),
            "there is no ProviderConfig mine in namespace team-a: create it, or name another in spec.providerConfigRef");
}

TEST_F(ScopeTest, GivesTheScopeToTheNamespacesThatItServes) {
  Scopes scopes;
  const std::shared_ptr<Scope> scope = NewScope();
  scopes.Set(ClusterDefault(), scope, ServesTeamA);
  EXPECT_EQ(scopes.Find(ClusterDefault(), "team-a").value(), scope);

  const absl::Status refused = scopes.Find(ClusterDefault(), "team-b").status();
  EXPECT_TRUE(absl::IsPermissionDenied(refused));
  EXPECT_THAT(refused.message(), HasSubstr("ClusterProviderConfig default does not serve the namespace team-b"));
}

TEST_F(ScopeTest, TheLastWordCounts) {
  Scopes scopes;
  scopes.SetComplete();
  scopes.Set(ClusterDefault(), NewScope(), ServesTeamA);
  scopes.Expect(ClusterDefault());
  EXPECT_TRUE(scopes.Find(ClusterDefault(), "team-a").ok()) << "what is known stays known";
  scopes.Refuse(ClusterDefault(), absl::UnauthenticatedError("wrong password"));
  EXPECT_EQ(scopes.Find(ClusterDefault(), "team-a").status(),
            absl::UnauthenticatedError("ClusterProviderConfig default: wrong password"));
  scopes.Remove(ClusterDefault());
  EXPECT_TRUE(absl::IsNotFound(scopes.Find(ClusterDefault(), "team-a").status()));
}

TEST_F(ScopeTest, AScopeThatIsReplacedServesOnWhoeverHoldsIt) {
  Scopes scopes;
  scopes.Set(ClusterDefault(), NewScope(), ServesTeamA);
  const std::shared_ptr<Scope> held = scopes.Find(ClusterDefault(), "team-a").value();
  scopes.Set(ClusterDefault(), NewScope(), ServesTeamA);
  EXPECT_NE(scopes.Find(ClusterDefault(), "team-a").value(), held);
  EXPECT_TRUE(held->session().Send({.service = "network", .path = "/networks"}, {}).ok());
}

}  // namespace
}  // namespace kupen::access
