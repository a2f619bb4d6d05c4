#include "provider/managed/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "provider/json/json.h"
#include "test/provider/managed/world.h"

namespace kupen::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr char kNetwork[] = "network.Network";
constexpr char kKeyPair[] = "compute.KeyPair";
constexpr char kOurs[] = R"({"metadata":{"name":"out","namespace":"team"},"type":"connection.crossplane.io/v1alpha1",
                             "data":{"note":"YnkgaGFuZA=="}})";

std::string Network(const std::string& secret = "out", const std::string& policies = R"(["*"])") {
  return absl::StrCat(R"({"metadata":{"name":"blue","namespace":"team"},"spec":{"forProvider":{},"managementPolicies":)",
                      policies, R"(,"writeConnectionSecretToRef":{"name":")", secret, R"("}}})");
}

// A value of a Secret, decoded.
std::string Value(const rapidjson::Document& secret, const std::string& key) {
  std::string decoded;
  absl::Base64Unescape(json::String(secret, {"data", key}), &decoded);
  return decoded;
}

std::string Value(const World& world, const std::string& key, const std::string& secret = "out") {
  return Value(world.kube.GetSecret(kNamespace, secret), key);
}

TEST(Connection, ASecretThatBelongsToTheObject) {
  World world;
  world.kube.Put(kNetwork, Network());
  world.Settle();
  const rapidjson::Document secret = world.kube.GetSecret(kNamespace, "out");
  EXPECT_EQ(json::String(secret, {"type"}), "connection.crossplane.io/v1alpha1");
  EXPECT_EQ(Value(secret, "id"), world.ExternalName(kNetwork, "blue"));
  EXPECT_EQ(Value(secret, "name"), "blue");
  EXPECT_EQ(Value(secret, "projectID"), "p1");
  EXPECT_EQ(Value(secret, "region"), "R1");
  const rapidjson::Value& owner = secret["metadata"]["ownerReferences"][0];
  EXPECT_EQ(json::Write(owner), R"({"apiVersion":"network.m.kupenstack.io/v1alpha1","kind":"Network","name":"blue",)"
                                R"("uid":"00000000-0000-4000-8000-000000000001","controller":true,"blockOwnerDeletion":true})");
  world.kube.AwaitEvents(1);
  EXPECT_THAT(world.kube.writes(), SizeIs(5)) << "one more than without";
}

TEST(Connection, WithoutTheWishThereIsNone) {
  World world;
  world.kube.Put(kNetwork, R"({"metadata":{"name":"blue","namespace":"team"},"spec":{"forProvider":{}}})");
  world.Settle();
  EXPECT_THAT(world.kube.writes(), Not(Contains("POST secrets")));
}

TEST(Connection, EachKindSaysWhatElseIsNeeded) {
  World world;
  world.service.SetDefaults("os-keypairs", R"({"fingerprint":"ab:cd","type":"ssh"})");
  world.kube.Put(kKeyPair, R"({"metadata":{"name":"mine","namespace":"team"},
      "spec":{"forProvider":{"publicKey":"ssh-ed25519 AAAA"},"writeConnectionSecretToRef":{"name":"out"}}})");
  world.Settle();
  EXPECT_EQ(Value(world, "fingerprint"), "ab:cd") << world.Condition(kKeyPair, "mine", "Synced");
  EXPECT_EQ(Value(world, "name"), world.ExternalName(kKeyPair, "mine"));
}

TEST(Connection, IsWrittenOnceAndAgainWhenSomethingElseIsTrue) {
  World world;
  world.kube.Put(kNetwork, Network());
  world.Settle();
  world.kube.AwaitEvents(1);
  const size_t writes = world.kube.writes().size();
  world.TellOfSecret("out");
  world.Restart();
  world.SettleAfter(absl::Seconds(11));
  EXPECT_THAT(world.kube.writes(), SizeIs(writes)) << "one GET after a start, and no write";
  world.service.Put("networks", world.ExternalName(kNetwork, "blue"), R"({"name":"green"})");
  world.clock.AwaitWaiters(1);
  world.clock.Advance(absl::Seconds(61));
  EXPECT_TRUE(world.SettleUntil([&] { return Value(world, "name") == "green"; }));
}

TEST(Connection, WhatSomebodyDeletesOrChangesComesBack) {
  World world;
  world.kube.Put(kNetwork, Network());
  world.Settle();
  const std::string id = world.ExternalName(kNetwork, "blue");
  world.kube.DeleteSecret(kNamespace, "out");
  world.TellOfSecret("out");
  world.Settle();
  EXPECT_EQ(Value(world, "id"), id);
  world.kube.PutSecret(kNamespace, "out", kOurs);
  world.TellOfSecret("out");
  world.Settle();
  EXPECT_EQ(Value(world, "id"), id);
  EXPECT_EQ(Value(world, "note"), "by hand") << "keys are added, never removed";
  EXPECT_EQ(json::Array(world.kube.GetSecret(kNamespace, "out"), {"metadata", "ownerReferences"}).Size(), 1U);
}

TEST(Connection, SomebodyElsesSecretIsRefused) {
  World world;
  world.kube.PutSecret(kNamespace, "out",
                       R"({"metadata":{"name":"out","namespace":"team"},"type":"Opaque","data":{"a":"Yg=="}})");
  world.kube.Put(kNetwork, Network());
  world.Settle();
  world.SettleAfter(absl::Seconds(11));
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Synced"),
            "False ReconcileError cannot publish connection details: there is a Secret out already, of type Opaque: delete it, "
            "or name another in spec.writeConnectionSecretToRef");
  EXPECT_EQ(world.Condition(kNetwork, "blue", "Ready"), "True Available");
  EXPECT_THAT(world.kube.AwaitEvent("CannotPublishConnectionDetails"), Contains("CannotPublishConnectionDetails").Times(1));
  EXPECT_EQ(Value(world, "a"), "b");
  world.kube.PutSecret(kNamespace, "out", R"({"metadata":{"name":"out","namespace":"team","ownerReferences":[
      {"kind":"Network","name":"red","uid":"u-9","controller":true}]},"type":"connection.crossplane.io/v1alpha1"})");
  world.SettleAfter(absl::Seconds(61));
  EXPECT_THAT(world.Condition(kNetwork, "blue", "Synced"), HasSubstr("Secret out belongs to Network red"));
}

TEST(Connection, NeverBlocksADeletion) {
  World world;
  world.kube.PutSecret(kNamespace, "out", R"({"metadata":{"name":"out","namespace":"team"},"type":"Opaque"})");
  world.kube.Put(kNetwork, Network());
  world.Settle();
  world.kube.Delete(kNetwork, kNamespace, "blue");
  world.Settle();
  EXPECT_TRUE(world.kube.Get(kNetwork, kNamespace, "blue").IsNull());
  EXPECT_THAT(world.service.Ids("networks"), IsEmpty());
}

TEST(Connection, WhatIsOnlyObservedHasOneToo) {
  World world;
  world.service.Put("networks", "n-5", R"({"name":"public","status":"ACTIVE","project_id":"p1"})");
  world.kube.Put(kNetwork, R"({"metadata":{"name":"blue","namespace":"team"},"spec":{"managementPolicies":["Observe"],
      "forProvider":{"name":"public"},"writeConnectionSecretToRef":{"name":"out"}}})");
  world.Settle();
  EXPECT_EQ(Value(world, "id"), "n-5");
}

TEST(Connection, NoValueOfASecretIsToldElsewhere) {
  World world;
  world.kube.PutSecret(kNamespace, "out", R"({"metadata":{"name":"out","namespace":"team"},"type":"Opaque",
      "data":{"password":"czNjcjN0"}})");
  world.kube.Put(kNetwork, Network());
  world.Settle();
  world.SettleAfter(absl::Seconds(11));
  world.kube.AwaitEvent("CannotPublishConnectionDetails");
  EXPECT_THAT(world.kube.written_text(), Not(testing::AnyOf(HasSubstr("czNjcjN0"), HasSubstr("s3cr3t"))));
}

// Of a list of all Secrets after a gap.
TEST(Connection, WhatWasDeletedUnseenIsNoticedByTheNextList) {
  World world;
  const kube::Client client(world.kube, "test");
  managed::ConnectionSecrets secrets(client);
  const runtime::Key key{.kind = kNetwork, .object_namespace = kNamespace, .name = "blue"};
  const kube::ObjectReference owner{.api_version = "v1", .kind = "Network", .key = {kNamespace, "blue"}, .uid = "u-1"};
  const std::stop_source stop;
  ASSERT_TRUE(secrets.Publish(key, owner, "out", {{"id", "n-1"}}, stop.get_token()).ok());
  rapidjson::Document secret = world.kube.GetSecret(kNamespace, "out");
  json::Set(secret["metadata"], "namespace", "team", secret.GetAllocator());
  using Type = kube::WatchEvent::Type;
  EXPECT_THAT(secrets.Take({.type = Type::kInit}), IsEmpty());
  EXPECT_THAT(secrets.Take({.type = Type::kInitApply, .object = &secret}), IsEmpty());
  EXPECT_THAT(secrets.Take({.type = Type::kInitDone}), IsEmpty());
  EXPECT_THAT(secrets.Take({.type = Type::kInit}), IsEmpty());
  EXPECT_THAT(secrets.Take({.type = Type::kInitDone}), ElementsAre(key));
}

}  // namespace
}  // namespace kupen::test
