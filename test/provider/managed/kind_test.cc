#include "provider/managed/kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "apis/registry/registry.h"
#include "provider/json/json.h"

namespace kupen::managed {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

Marker Ours() { return {.cluster = "c1057e40", .uid = "00000000-0000-4000-8000-000000000001"}; }
constexpr char kText[] = "kupen:c1057e40:00000000-0000-4000-8000-000000000001";

ManagedKind Kind(const std::string& name) { return ManagedKind(*apis::Registry().Find(name)); }

openstack::Token TokenWith(const std::string& role) {
  openstack::Token token;
  token.project_id = "p1";
  token.roles = {role};
  return token;
}

std::string Marked(const ManagedKind& kind, const std::string& body) {
  rapidjson::Document document = *json::Parse(body);
  kind.AddMarker(Ours(), document, document.GetAllocator());
  return json::Write(document);
}

std::string Unmarked(const ManagedKind& kind, const std::string& object) {
  rapidjson::Document document = *json::Parse(object);
  document = kind.Shown(document);
  return json::Write(document);
}

TEST(ManagedKind, AMarkerInATextStandsAtItsEnd) {
  const ManagedKind network = Kind("network.Network");
  const std::string alone = absl::StrCat(R"({"description":"[)", kText, R"(]"})");
  const std::string after = absl::StrCat(R"({"description":"for people [)", kText, R"(]"})");
  EXPECT_EQ(Marked(network, "{}"), alone);
  EXPECT_EQ(Marked(network, R"({"description":"for people"})"), after);
  EXPECT_EQ(Unmarked(network, alone), R"({"description":""})");
  EXPECT_EQ(Unmarked(network, after), R"({"description":"for people"})");
  EXPECT_EQ(network.MarkerIn(*json::Parse(after)), Ours());
  EXPECT_EQ(network.MarkerIn(*json::Parse(R"({"description":"for people"})")), std::nullopt);
  EXPECT_EQ(network.MarkerIn(*json::Parse(R"({"description":null})")), std::nullopt);
}

TEST(ManagedKind, AMarkerInAListIsOneMoreItem) {
  const ManagedKind vm = Kind("compute.VirtualMachine");
  const std::string marked = absl::StrCat(R"({"tags":["web",")", kText, R"("]})");
  EXPECT_EQ(Marked(vm, R"({"tags":["web"]})"), marked);
  EXPECT_EQ(Marked(vm, "{}"), absl::StrCat(R"({"tags":[")", kText, R"("]})"));
  EXPECT_EQ(Unmarked(vm, marked), R"({"tags":["web"]})");
  EXPECT_EQ(vm.MarkerIn(*json::Parse(marked)), Ours());
  EXPECT_EQ(vm.MarkerIn(*json::Parse(R"({"tags":["web"]})")), std::nullopt);
}

TEST(ManagedKind, WithoutAMarkerNothingIsTakenForOne) {
  const ManagedKind flavor = Kind("compute.Flavor");
  const std::string marked = absl::StrCat(R"({"description":"[)", kText, R"(]"})");
  EXPECT_EQ(flavor.MarkerIn(*json::Parse(marked)), std::nullopt);
  EXPECT_EQ(Unmarked(flavor, marked), marked);
}

TEST(ManagedKind, ChoosesAnIdPerAttempt) {
  const ManagedKind flavor = Kind("compute.Flavor");
  EXPECT_EQ(flavor.ChosenIdFor(Ours().uid, "small", 1), flavor.ChosenIdFor(Ours().uid, "other", 1));
  EXPECT_NE(flavor.ChosenIdFor(Ours().uid, "small", 1), flavor.ChosenIdFor(Ours().uid, "small", 2));
  const ManagedKind key_pair = Kind("compute.KeyPair");
  EXPECT_THAT(key_pair.ChosenIdFor(Ours().uid, "mine", 1), testing::MatchesRegex("mine-[0-9a-f]{8}"));
  EXPECT_NE(key_pair.ChosenIdFor(Ours().uid, "mine", 1), key_pair.ChosenIdFor("another uid", "mine", 1));
}

TEST(ManagedKind, ReadsTheState) {
  const ManagedKind network = Kind("network.Network");
  EXPECT_EQ(network.StateOf(*json::Parse(R"({"status":"ACTIVE"})")), CloudState::kReady);
  EXPECT_EQ(network.StateOf(*json::Parse(R"({"status":"ERROR"})")), CloudState::kFailed);
  EXPECT_EQ(network.StateOf(*json::Parse(R"({"status":"BUILD"})")), CloudState::kInTransition);
  EXPECT_EQ(network.StateOf(*json::Parse("{}")), CloudState::kInTransition);
  EXPECT_EQ(Kind("network.Subnet").StateOf(*json::Parse("{}")), CloudState::kReady) << "has no states";
}

TEST(ManagedKind, AMirrorKeepsWhatIsComparedAndShown) {
  const ManagedKind network = Kind("network.Network");
  const openstack::MirrorSpec spec = network.MirrorSpec(TokenWith("admin"), absl::Seconds(30));
  for (const char* field : {"id", "description", "status", "mtu", "router:external"}) {
    EXPECT_THAT(spec.fields, Contains(field));
  }
  EXPECT_THAT(spec.fields, Not(Contains("revision_number")));
  EXPECT_EQ(spec.marker_of(*json::Parse(absl::StrCat(R"({"description":"[)", kText, R"(]"})"))), kText);
  EXPECT_EQ(spec.marker_of(*json::Parse(R"({"description":"theirs"})")), "");
}

TEST(ManagedKind, WhatIsInAnotherProjectIsNotOurs) {
  const ManagedKind network = Kind("network.Network");
  const openstack::MirrorSpec spec = network.MirrorSpec(TokenWith("admin"), absl::Seconds(30));
  const auto marker_of = [&](const std::string& owner) {
    return spec.marker_of(*json::Parse(absl::StrCat(R"({"description":"[)", kText, R"(]",)", owner, "}")));
  };
  EXPECT_EQ(marker_of(R"("project_id":"p1")"), kText);
  EXPECT_EQ(marker_of(R"("project_id":"p2")"), "");
  EXPECT_EQ(marker_of(R"("tenant_id":"p2")"), "");
}

TEST(ManagedKind, AnAdministratorsListIsOfOneProjectUnlessThereAreNone) {
  EXPECT_THAT(Kind("compute.VirtualMachine").MirrorSpec(TokenWith("admin"), absl::Seconds(30)).filters, IsEmpty());
  EXPECT_THAT(Kind("network.Network").MirrorSpec(TokenWith("admin"), absl::Seconds(30)).filters, IsEmpty());
}

TEST(ManagedKind, WhatAServiceCannotTellIsNoState) {
  const ManagedKind machine = Kind("compute.VirtualMachine");
  EXPECT_EQ(machine.StateOf(*json::Parse(R"({"status":"UNKNOWN"})")), CloudState::kUnknown);
  EXPECT_TRUE(machine.MirrorSpec(TokenWith("member"), absl::Seconds(30)).says_nothing(*json::Parse(R"({"status":"UNKNOWN"})")));
}

TEST(ManagedKind, OnlyAnAdministratorAsksForWhatIsHidden) {
  const ManagedKind flavor = Kind("compute.Flavor");
  EXPECT_THAT(flavor.MirrorSpec(TokenWith("admin"), absl::Seconds(30)).filters, ElementsAre(Pair("is_public", "None")));
  EXPECT_THAT(flavor.MirrorSpec(TokenWith("member"), absl::Seconds(30)).filters, IsEmpty());
}

TEST(ManagedKind, KeyPairsGoByName) {
  const ManagedKind key_pair = Kind("compute.KeyPair");
  EXPECT_EQ(key_pair.rest.id_key, "name");
  EXPECT_EQ(key_pair.IdOf(*json::Parse(R"({"name":"mine-1","id":"7"})")), "mine-1");
}

}  // namespace
}  // namespace kupen::managed
