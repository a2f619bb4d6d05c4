// A ProviderConfig and its Secret stay as long as an object needs them.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/lab/contract.h"

namespace kupen::test {
namespace {

// "users=2 in-use.crossplane.io, m.kupenstack.io/in-use": who uses it, and what holds it and its Secret.
absl::StatusOr<std::string> Protection(Lab& lab, const std::string& name) {
  ASSIGN_OR_RETURN(const View view, View::Of(lab));
  const rapidjson::Value* config = view.FindOther(absl::StrCat("ProviderConfig/", name));
  const rapidjson::Value* secret = view.FindOther(absl::StrCat("Secret/", name));
  if (config == nullptr) return "gone";
  const rapidjson::Value* users = json::Find(*config, {"status", "users"});
  std::string text = absl::StrCat("users=", users == nullptr ? -1 : users->GetInt());
  for (const rapidjson::Value* object : {config, secret}) {
    if (object == nullptr) continue;
    for (const rapidjson::Value& finalizer : json::Array(*object, {"metadata", "finalizers"})) {
      absl::StrAppend(&text, " ", json::String(finalizer));
    }
  }
  return text;
}

absl::Status AwaitProtection(Lab& lab, const std::string& name, const std::string& expected) {
  return Eventually(kSoon, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::string protection, Protection(lab, name));
    return protection == expected ? absl::OkStatus() : absl::UnavailableError(protection);
  });
}

constexpr char kHeld[] = " in-use.crossplane.io m.kupenstack.io/in-use";

TEST_F(Contract, AConfigurationStaysUntilItsLastUserIsGone) {
  ASSERT_OK(lab().Apply(absl::StrCat(SecretManifest("guarded", lab().cloud().CloudsYaml()), ConfigManifest("guarded"))));
  ASSERT_OK(AwaitProtection(lab(), "guarded", "users=0"));
  ASSERT_OK(Give({{.name = "user-a", .config = "guarded"}, {.name = "user-b", .config = "guarded"}}));
  ASSERT_OK(Await(ForEach({"user-a", "user-b"}, Ready())));
  ASSERT_OK(AwaitProtection(lab(), "guarded", absl::StrCat("users=2", kHeld)));

  ASSERT_OK(lab().Run({"delete", "providerconfigs.m.kupenstack.io/guarded", "secret/guarded", "--wait=false"}).status());
  ASSERT_OK(Delete({"user-a"}));
  ASSERT_OK(Await({{"user-a", Gone()}, {"user-b", Ready()}}));
  ASSERT_OK(AwaitProtection(lab(), "guarded", absl::StrCat("users=1", kHeld)));
  ASSERT_OK_AND_ASSIGN(const View view, View::Of(lab()));
  std::string told;
  for (const rapidjson::Value* event : view.Events("guarded")) {
    absl::StrAppend(&told, json::String(*event, {"type"}), " ", json::String(*event, {"reason"}), "\n");
  }
  EXPECT_THAT(told, testing::HasSubstr("Normal InUse"));
  const rapidjson::Value& config = *view.FindOther("ProviderConfig/guarded");
  EXPECT_NE(json::Find(config, {"metadata", "deletionTimestamp"}), nullptr);
  EXPECT_THAT(json::Write(*json::Find(config, {"status", "conditions"})), testing::HasSubstr("is kept until nothing uses it"));

  ASSERT_OK(Delete({"user-b"}));
  ASSERT_OK(Await({{"user-b", Gone()}}));
  ASSERT_OK(AwaitProtection(lab(), "guarded", "gone"));
  ASSERT_OK_AND_ASSIGN(const View after, View::Of(lab()));
  EXPECT_EQ(after.FindOther("Secret/guarded"), nullptr);
}

}  // namespace
}  // namespace kupen::test
