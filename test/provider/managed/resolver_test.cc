#include "provider/managed/resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apis/registry/registry.h"
#include "provider/json/json.h"
#include "provider/managed/kind.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/managed/fake_service.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::test {
namespace {

using managed::Resolved;
using runtime::Key;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kReady[] = R"([{"type":"Ready","status":"True"}])";

class ResolverTest : public testing::Test {
 protected:
  ResolverTest() {
    cloud_.Serve([this](const http::Request& request) { return service_.Handle(request); });
  }

  void PutNetwork(const std::string& name, const std::string& id, const std::string& conditions = kReady,
                  const std::string& metadata = "", const std::string& ns = "team") {
    const rapidjson::Document object =
        *json::Parse(absl::StrCat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns, R"(","resourceVersion":")",
                                  ++version_, R"(","annotations":{"crossplane.io/external-name":")", id, "\"}", metadata,
                                  R"(},"status":{"conditions":)", conditions, "}}"));
    objects_.StoreOf("network.Network")->Take({.type = kube::WatchEvent::Type::kApply, .object = &object});
  }

  // The parameters afterwards, or the error.
  std::string Resolve(const std::string& kind, const std::string& parameters, const std::vector<Resolved>& known = {}) {
    rapidjson::Document document = *json::Parse(parameters);
    const managed::ManagedKind plan(*apis::Registry().Find(kind));
    const absl::StatusOr<std::vector<Resolved>> resolved = resolver_.Resolve(
        {.self = self_, .object = object_, .plan = plan.plan.parameters, .known = known, .session = session_, .stop = {}},
        document, document.GetAllocator());
    if (!resolved.ok()) return std::string(resolved.status().message());
    found_ = *resolved;
    return json::Write(document);
  }
  std::string Subnet(const std::string& parameters, const std::vector<Resolved>& known = {}) {
    return Resolve("network.Subnet", parameters, known);
  }
  bool WaitsFor(const std::string& network) {
    return waiters_.Take({.kind = "network.Network", .object_namespace = "team", .name = network}) == std::vector<Key>{self_};
  }

  const Key self_{.kind = "network.Subnet", .object_namespace = "team", .name = "low"};
  rapidjson::Document object_ =
      *json::Parse(R"({"metadata":{"ownerReferences":[{"uid":"x-1","controller":true},{"uid":"x-2"}]}})");
  managed::Objects objects_{apis::Registry()};
  managed::Waiters waiters_;
  managed::Resolver resolver_{apis::Registry(), objects_, waiters_};
  std::vector<Resolved> found_;
  int version_ = 0;
  FakeClock clock_;
  FakeCloud cloud_;
  FakeService service_;
  openstack::Session session_{cloud_.config(), cloud_.transports(), clock_};
};

TEST_F(ResolverTest, AReferenceBecomesAnId) {
  PutNetwork("blue", "n-1");
  EXPECT_EQ(Subnet(R"({"networkRef":{"name":"blue"}})"), R"({"networkRef":{"name":"blue"},"networkID":"n-1"})");
  EXPECT_THAT(found_, ElementsAre(Resolved{.field = "networkID", .object = "blue", .id = "n-1", .by = "networkRef"}));
}

TEST_F(ResolverTest, WaitsUntilItIsThereAndReady) {
  EXPECT_EQ(Subnet(R"({"networkRef":{"name":"blue"}})"),
            "spec.forProvider.networkRef: there is no Network blue in this namespace yet");
  EXPECT_TRUE(WaitsFor("blue"));
  PutNetwork("blue", "n-1", R"([{"type":"Ready","status":"False"}])");
  EXPECT_EQ(Subnet(R"({"networkRef":{"name":"blue"}})"), "spec.forProvider.networkRef: waits for Network blue to be ready");
  EXPECT_TRUE(WaitsFor("blue"));
  PutNetwork("blue", "n-1", kReady, R"(,"deletionTimestamp":"2027-01-15T08:00:00Z")");
  EXPECT_EQ(Subnet(R"({"networkRef":{"name":"blue"}})"), "spec.forProvider.networkRef: Network blue is being deleted");
}

TEST_F(ResolverTest, OtherNamespacesAreNotLookedInto) {
  PutNetwork("blue", "n-1", kReady, R"(,"labels":{"tier":"web"})", "others");
  EXPECT_THAT(Subnet(R"({"networkRef":{"name":"blue"}})"), HasSubstr("there is no Network blue in this namespace"));
  EXPECT_THAT(Subnet(R"({"networkSelector":{"matchLabels":{"tier":"web"}}})"), HasSubstr("no Network of this namespace"));
}

TEST_F(ResolverTest, WhatWasResolvedStays) {
  PutNetwork("blue", "n-2");
  const std::vector<Resolved> known = {{.field = "networkID", .object = "blue", .id = "n-1"}};
  EXPECT_THAT(Subnet(R"({"networkRef":{"name":"blue"}})", known), HasSubstr(R"("networkID":"n-1")"));
  EXPECT_THAT(Subnet(R"({"networkRef":{"name":"blue","policy":{"resolve":"Always"}}})", known),
              HasSubstr(R"("networkID":"n-2")"));
  PutNetwork("red", "n-3");
  EXPECT_THAT(Subnet(R"({"networkRef":{"name":"red"}})", known), HasSubstr(R"("networkID":"n-3")"));
}

TEST_F(ResolverTest, OptionalMayStayUnresolved) {
  EXPECT_EQ(Subnet(R"({"networkRef":{"name":"blue","policy":{"resolution":"Optional"}}})"),
            R"({"networkRef":{"name":"blue","policy":{"resolution":"Optional"}}})");
  EXPECT_THAT(found_, IsEmpty());
  EXPECT_TRUE(WaitsFor("blue"));
  PutNetwork("blue", "n-1", "[]", R"(,"labels":{"tier":"web"})");
  const std::string selector = R"({"networkSelector":{"matchLabels":{"tier":"web"},"policy":{"resolution":"Optional"}}})";
  EXPECT_EQ(Subnet(selector), selector) << "it matches, but has no id yet";
}

TEST_F(ResolverTest, ASelectorTakesTheFirstThatMatches) {
  PutNetwork("a", "n-1", kReady, R"(,"labels":{"tier":"db"})");
  PutNetwork("c", "n-3", kReady, R"(,"labels":{"tier":"web","zone":"x"})");
  PutNetwork("b", "n-2", kReady, R"(,"labels":{"tier":"web"})");
  EXPECT_THAT(Subnet(R"({"networkSelector":{"matchLabels":{"tier":"web"}}})"), HasSubstr(R"("networkID":"n-2")"));
  EXPECT_THAT(Subnet(R"({"networkSelector":{"matchLabels":{"tier":"app"}}})"),
              HasSubstr("no Network of this namespace matches yet"));
  EXPECT_TRUE(WaitsFor("any of them"));
}

TEST_F(ResolverTest, ASelectorIsLookedUpAgainOnlyWhenItIsAnother) {
  PutNetwork("a", "n-1", kReady, R"(,"labels":{"tier":"web"})");
  PutNetwork("b", "n-2", kReady, R"(,"labels":{"tier":"db"})");
  const std::string web = R"({"networkSelector":{"matchLabels":{"tier":"web"}}})";
  EXPECT_THAT(Subnet(web), HasSubstr(R"("networkID":"n-1")"));
  const std::vector<Resolved> known = found_;
  PutNetwork("a", "n-1", kReady, R"(,"labels":{"tier":"old"})");
  EXPECT_THAT(Subnet(web, known), HasSubstr(R"("networkID":"n-1")")) << "other labels over there are no other selector";
  EXPECT_THAT(Subnet(R"({"networkSelector":{"matchLabels":{"tier":"db"}}})", known), HasSubstr(R"("networkID":"n-2")"));
  EXPECT_THAT(Subnet(R"({"networkSelector":{"matchLabels":{"tier":"web"},"policy":{"resolve":"Always"}}})", known),
              HasSubstr("no Network of this namespace matches yet"));
}

TEST_F(ResolverTest, ANameIsNotTheReferenceOfThatName) {
  PutNetwork("blue", "n-1");
  EXPECT_THAT(Subnet(R"({"networkRef":{"name":"blue"}})"), HasSubstr(R"("networkID":"n-1")"));
  service_.Put("networks", "n-9", R"({"name":"blue","project_id":"p1"})");
  EXPECT_THAT(Subnet(R"({"networkName":"blue"})", std::vector<Resolved>(found_)), HasSubstr(R"("networkID":"n-9")"));
}

TEST_F(ResolverTest, ASelectorMayAskForTheSameController) {
  PutNetwork("a", "n-1", kReady, R"(,"ownerReferences":[{"uid":"x-2","controller":true}])");
  PutNetwork("b", "n-2", kReady, R"(,"ownerReferences":[{"uid":"x-1","controller":true}])");
  EXPECT_THAT(Subnet(R"({"networkSelector":{"matchControllerRef":true}})"), HasSubstr(R"("networkID":"n-2")"));
}

TEST_F(ResolverTest, ItemsOfListsAreResolvedEachForItself) {
  PutNetwork("blue", "n-1");
  PutNetwork("red", "n-2");
  const std::string vm =
      Resolve("compute.VirtualMachine", R"({"networks":[{"networkRef":{"name":"red"}},{"networkRef":{"name":"blue"}}]})");
  EXPECT_THAT(
      vm, HasSubstr(R"([{"networkRef":{"name":"red"},"networkID":"n-2"},{"networkRef":{"name":"blue"},"networkID":"n-1"}])"));
  EXPECT_THAT(found_,
              ElementsAre(Resolved{.field = "networks[0].networkID", .object = "red", .id = "n-2", .by = "networkRef"},
                          Resolved{.field = "networks[1].networkID", .object = "blue", .id = "n-1", .by = "networkRef"}));
}

TEST_F(ResolverTest, NamesAreLookedUpInTheCloud) {
  EXPECT_THAT(Subnet(R"({"networkName":"public"})"), HasSubstr("nothing among networks has the name public"));
  service_.Put("networks", "n-9", R"({"name":"public","project_id":"p1"})");
  EXPECT_THAT(Subnet(R"({"networkName":"public"})"), HasSubstr(R"("networkID":"n-9")"));
}

TEST_F(ResolverTest, ReadsWhatAStatusSays) {
  const rapidjson::Document object =
      *json::Parse(R"({"status":{"references":[{"field":"networkID","object":"blue","id":"n-1","by":"networkRef"}]}})");
  EXPECT_THAT(managed::ResolvedBefore(object),
              ElementsAre(Resolved{.field = "networkID", .object = "blue", .id = "n-1", .by = "networkRef"}));
  EXPECT_THAT(managed::ResolvedBefore(*json::Parse("{}")), IsEmpty());
}

}  // namespace
}  // namespace kupen::test
