#include "provider/managed/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "apis/registry/registry.h"
#include "provider/json/json.h"
#include "provider/managed/created_with.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::test {
namespace {

using managed::Changes;
using managed::ManagedKind;
using testing::ElementsAre;
using testing::IsEmpty;

managed::Marker Ours() { return {.cluster = "c1057e40", .uid = "00000000-0000-4000-8000-000000000001"}; }
constexpr char kText[] = "kupen:c1057e40:00000000-0000-4000-8000-000000000001";

class ChangesTest : public testing::Test {
 protected:
  // Answers with the object x-1 to everything, in the envelope.
  explicit ChangesTest(const std::string& kind = "network.Network") : kind_(*apis::Registry().Find(kind)) { Serve("{}"); }

  void Serve(const std::string& answer) {
    cloud_.Serve([this, answer](const http::Request& request) {
      const bool asks_for_versions =
          absl::StrReplaceAll(request.target, {{"/v2.1", ""}, {"/v2.0", ""}, {"/v2", ""}, {"/", ""}}).empty();
      if (asks_for_versions) {
        return http::Response{.status = 200, .headers = {}, .body = R"({"version":{"min_version":"2.1","version":"2.96"}})"};
      }
      sent_.push_back(absl::StrCat(request.method, " ", request.target, request.body.empty() ? "" : " ", request.body));
      return http::Response{.status = 200, .headers = {}, .body = answer};
    });
  }

  Changes Find(const std::string& parameters, const std::string& object, const std::string& created_with = "") {
    return managed::FindChanges(kind_, *json::Parse(parameters), *json::Parse(object), created_with, memory_.GetAllocator());
  }
  absl::Status Send(Changes changes, const std::string& object, const std::optional<managed::Marker>& marker = std::nullopt) {
    openstack::Session session(cloud_.config(), cloud_.transports(), clock_);
    openstack::Rest rest(session, kind_.rest);
    return managed::SendChanges(kind_, rest, "x-1", marker, std::move(changes), *json::Parse(object), {}, {}).status();
  }

  const ManagedKind kind_;
  rapidjson::Document memory_;
  FakeClock clock_;
  FakeCloud cloud_;
  std::vector<std::string> sent_;
};

class ImageChangesTest : public ChangesTest {
 protected:
  ImageChangesTest() : ChangesTest("image.Image") {}
};
class FlavorChangesTest : public ChangesTest {
 protected:
  FlavorChangesTest() : ChangesTest("compute.Flavor") {}
};
class VmChangesTest : public ChangesTest {
 protected:
  VmChangesTest() : ChangesTest("compute.VirtualMachine") {}
};

TEST_F(ChangesTest, AreSortedByHowTheyCanBeMade) {
  const Changes changes =
      Find(R"({"mtu":1400,"tags":["web"],"networkType":"vlan"})", R"({"mtu":1500,"tags":[],"provider:network_type":"flat"})");
  EXPECT_EQ(changes.Text(), R"(mtu: 1500 → 1400, tags: [] → ["web"])");
  EXPECT_EQ(changes.in_place.size(), 1);
  EXPECT_EQ(changes.subresources.size(), 1);
  EXPECT_THAT(changes.impossible, ElementsAre("networkType: flat → vlan"));
  EXPECT_THAT(changes.replacing, IsEmpty());
}

TEST_F(ChangesTest, WhatIsAsWantedOrNotWantedIsNoChange) {
  const Changes changes = Find(R"({"mtu":1400})", R"({"mtu":1400,"description":"theirs","tags":["theirs"]})");
  EXPECT_FALSE(changes.AreInPlace());
  EXPECT_EQ(changes.Text(), "");
}

TEST_F(ChangesTest, OnlyWhatDiffersIsSentAndTheMarkerStays) {
  Serve(R"({"network":{"id":"x-1"}})");
  const std::string object = R"({"mtu":1500,"name":"a","description":"old"})";
  ASSERT_TRUE(Send(Find(R"({"mtu":1500,"name":"a","description":"new"})", object), object, Ours()).ok());
  EXPECT_THAT(sent_, ElementsAre(absl::StrCat(R"(PUT /v2.0/networks/x-1 {"network":{"description":"new [)", kText, R"(]"}})")));
}

TEST_F(ChangesTest, ATagIsARequestOfItsOwnAndTheObjectIsReadAgain) {
  Serve(R"({"network":{"id":"x-1"}})");
  const std::string object = R"({"mtu":1500,"tags":["a"]})";
  ASSERT_TRUE(Send(Find(R"({"mtu":1400,"tags":["b"]})", object), object, Ours()).ok());
  EXPECT_THAT(sent_, ElementsAre(R"(PUT /v2.0/networks/x-1 {"network":{"mtu":1400}})",
                                 R"(PUT /v2.0/networks/x-1/tags {"tags":["b"]})", "GET /v2.0/networks/x-1"));
}

TEST_F(VmChangesTest, AMarkerAmongTagsStays) {
  Serve(R"({"server":{"id":"x-1"}})");
  const std::string object = R"({"tags":["a"]})";
  ASSERT_TRUE(Send(Find(R"({"tags":["b"]})", object), object, Ours()).ok());
  EXPECT_EQ(sent_.front(), absl::StrCat(R"(PUT /v2.1/servers/x-1/tags {"tags":["b",")", kText, R"("]})"));
}

TEST_F(VmChangesTest, WhatTheServiceDoesNotShowIsComparedWithTheCreate) {
  const std::string with = managed::CreatedWith(kind_.plan.parameters, *json::Parse(R"({"userData":"a"})"), "");
  EXPECT_THAT(Find(R"({"userData":"a"})", "{}", with).replacing, IsEmpty());
  EXPECT_THAT(Find(R"({"userData":"b"})", "{}", with).replacing, ElementsAre("userData: changed"));
  EXPECT_THAT(Find(R"({"userData":"b"})", "{}").replacing, IsEmpty()) << "imported";
}

TEST_F(ImageChangesTest, AJsonPatchAddsReplacesAndRemoves) {
  Serve(R"({"id":"x-1"})");
  const std::string object = R"({"name":"old","gone":"x","min_disk":1})";
  Changes changes = Find(R"({"name":"new"})", object);
  const auto by_hook = [&](const std::string& member, rapidjson::Value wanted) {
    changes.by_hook.push_back({.member = member, .wanted = std::move(wanted), .text = member});
  };
  by_hook("gone", rapidjson::Value());
  by_hook("never there", rapidjson::Value());
  by_hook("a/b~c", rapidjson::Value("v"));
  ASSERT_TRUE(Send(std::move(changes), object).ok());
  EXPECT_THAT(sent_, ElementsAre(R"(PATCH /v2/images/x-1 [{"op":"replace","path":"/name","value":"new"},)"
                                 R"({"op":"remove","path":"/gone"},{"op":"add","path":"/a~1b~0c","value":"v"}])"));
}

TEST_F(FlavorChangesTest, AMapIsMergedThenWhatIsGoneIsDeleted) {
  Serve(R"({"flavor":{"id":"x-1"}})");
  const std::string object = R"({"extra_specs":{"keep":"1","change":"1","go/ne":"1"}})";
  ASSERT_TRUE(Send(Find(R"({"extraSpecs":{"keep":"1","change":"2","new":"3"}})", object), object).ok());
  EXPECT_THAT(sent_, ElementsAre(R"(POST /v2.1/flavors/x-1/os-extra_specs {"extra_specs":{"keep":"1","change":"2","new":"3"}})",
                                 "DELETE /v2.1/flavors/x-1/os-extra_specs/go%2Fne", "GET /v2.1/flavors/x-1"));
}

TEST_F(FlavorChangesTest, AnEmptyMapOnlyDeletes) {
  Serve(R"({"flavor":{"id":"x-1"}})");
  const std::string object = R"({"extra_specs":{"gone":"1"}})";
  ASSERT_TRUE(Send(Find(R"({"extraSpecs":{}})", object), object).ok());
  EXPECT_THAT(sent_, ElementsAre("DELETE /v2.1/flavors/x-1/os-extra_specs/gone", "GET /v2.1/flavors/x-1"));
}

TEST_F(FlavorChangesTest, WhatOnlyANewObjectCanHaveReplaces) {
  EXPECT_THAT(Find(R"({"vcpus":2})", R"({"vcpus":1})").replacing, ElementsAre("vcpus: 1 → 2"));
}

}  // namespace
}  // namespace kupen::test
