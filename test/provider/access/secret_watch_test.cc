#include "provider/access/secret_watch.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"

namespace kupen::access {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Type = kube::WatchEvent::Type;

ConfigRef Config(const std::string& name) { return {.kind = std::string(kProviderConfig), .ns = "a", .name = name}; }

class SecretWatchTest : public testing::Test {
 protected:
  void Take(Type type) { watch_.Take({.type = type}); }
  void Take(Type type, absl::string_view name, int version, absl::string_view finalizer = "other") {
    const rapidjson::Document secret =
        json::Parse(absl::StrCat(R"({"metadata": {"namespace": "a", "name": ")", name, R"(", "resourceVersion": ")", version,
                                 R"(", "finalizers": [")", finalizer, R"("]}})"))
            .value();
    watch_.Take({.type = type, .object = &secret});
  }
  void Read(const std::string& config, const std::string& secret, absl::string_view version) {
    watch_.Expect(Config(config), {"a", secret});
    watch_.Read(Config(config), {"a", secret}, version);
  }
  std::vector<std::string> Changed() { return std::exchange(changed_, {}); }

  std::vector<std::string> changed_;
  std::vector<std::string> strays_;
  SecretWatch watch_{"m.kupenstack.io/in-use",
                     {.on_change = [this](const ConfigRef& config) { changed_.push_back(config.name); },
                      .on_stray = [this](const kube::ObjectKey& secret) { strays_.push_back(secret.name); }}};
};

TEST_F(SecretWatchTest, TellsThoseWhoReadTheSecret) {
  Read("x", "s", "1");
  Read("y", "s", "1");
  Read("z", "t", "1");
  Take(Type::kApply, "s", 2);
  EXPECT_THAT(Changed(), UnorderedElementsAre("x", "y"));
  Take(Type::kApply, "u", 3);
  EXPECT_THAT(Changed(), IsEmpty()) << "nobody reads it";
}

TEST_F(SecretWatchTest, WhatWasReadIsNoNews) {
  Read("x", "s", "7");
  Take(Type::kInit);
  Take(Type::kInitApply, "s", 7);
  Take(Type::kInitDone);
  Take(Type::kApply, "s", 7);
  EXPECT_THAT(Changed(), IsEmpty());
}

TEST_F(SecretWatchTest, AChangeDuringTheReadIsNotMissed) {
  watch_.Expect(Config("x"), {"a", "s"});
  Take(Type::kApply, "s", 2);
  EXPECT_THAT(Changed(), ElementsAre("x"));
}

TEST_F(SecretWatchTest, TellsOfCreationAndDeletion) {
  Read("x", "s", "");
  Take(Type::kApply, "s", 1);
  EXPECT_THAT(Changed(), ElementsAre("x"));
  Read("x", "s", "1");
  Take(Type::kDelete, "s", 2);
  EXPECT_THAT(Changed(), ElementsAre("x"));
}

TEST_F(SecretWatchTest, TellsOfADeletionThatANewListShows) {
  Read("x", "s", "1");
  Read("y", "t", "2");
  Take(Type::kInit);
  Take(Type::kInitApply, "t", 2);
  EXPECT_THAT(Changed(), IsEmpty());
  Take(Type::kInitDone);
  EXPECT_THAT(Changed(), ElementsAre("x"));
}

TEST_F(SecretWatchTest, AnotherSecretReplacesTheFirst) {
  Read("x", "s", "1");
  Read("x", "t", "1");
  Take(Type::kApply, "s", 2);
  EXPECT_THAT(Changed(), IsEmpty());
  Take(Type::kApply, "t", 2);
  EXPECT_THAT(Changed(), ElementsAre("x"));
  watch_.Forget(Config("x"));
  Take(Type::kApply, "t", 3);
  EXPECT_THAT(Changed(), IsEmpty());
}

TEST_F(SecretWatchTest, FindsStrays) {
  Read("x", "s", "1");
  Take(Type::kInitApply, "s", 1, "m.kupenstack.io/in-use");
  Take(Type::kInitApply, "t", 1, "m.kupenstack.io/in-use");
  Take(Type::kInitApply, "u", 1);
  EXPECT_THAT(strays_, ElementsAre("t"));
}

}  // namespace
}  // namespace kupen::access
