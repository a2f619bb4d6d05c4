// Connection secrets: whose they are, what is in them, and what is never touched.
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/lab/contract.h"

namespace kupen::test {
namespace {

using rapidjson::Value;

constexpr char kType[] = "connection.crossplane.io/v1alpha1";

std::string WriteTo(const std::string& secret) { return absl::StrCat("writeConnectionSecretToRef: {name: ", secret, "}, "); }

std::string Data(const Value& secret, absl::string_view key) {
  std::string decoded;
  return absl::Base64Unescape(json::String(secret, {"data", key}), &decoded) ? decoded : "";
}

std::string VersionOf(const View& view, absl::string_view secret) {
  const Value* object = view.FindOther(secret);
  return object == nullptr ? "" : std::string(json::String(*object, {"metadata", "resourceVersion"}));
}

// That the Secret is the object's own, with its details.
absl::Status CheckSecret(const View& view, const std::string& name) {
  const Value* secret = view.FindOther(absl::StrCat("Secret/", name));
  const Value* owner = view.Find(name);
  if (secret == nullptr || owner == nullptr) return absl::UnavailableError(absl::StrCat(name, " is not there"));
  if (json::String(*secret, {"type"}) != kType) return absl::FailedPreconditionError(json::String(*secret, {"type"}));
  const auto owners = json::Array(*secret, {"metadata", "ownerReferences"});
  const bool owned = owners.Size() == 1 && json::String(owners[0], {"uid"}) == json::String(*owner, {"metadata", "uid"}) &&
                     json::Find(owners[0], {"controller"})->IsTrue();
  if (!owned) return absl::UnavailableError(absl::StrCat(name, " does not belong to the object"));
  const absl::string_view id = json::String(*owner, {"metadata", "annotations", "crossplane.io/external-name"});
  const bool right = Data(*secret, "id") == id && Data(*secret, "region") == "RegionOne" && Data(*secret, "name") == name;
  return right ? absl::OkStatus() : absl::UnavailableError(json::Write(*json::Find(*secret, {"data"})));
}

absl::Status AwaitSecret(Lab& lab, const std::string& name) {
  return Eventually(kSoon, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const View view, View::Of(lab));
    return CheckSecret(view, name);
  });
}

TEST_F(Contract, ConnectionSecretsBelongToTheirObject) {
  ASSERT_OK(lab().Apply(absl::StrCat("apiVersion: v1\nkind: Secret\nmetadata: {name: somebodys, namespace: $NS}\n---\n",
                                     "apiVersion: v1\nkind: Secret\ntype: ", kType,
                                     "\nmetadata: {name: prepared, namespace: $NS}\nstringData: {note: mine}\n")));
  ASSERT_OK(Give({{.name = "published", .spec = WriteTo("published")},
                  {.name = "prepared", .spec = WriteTo("prepared")},
                  {.name = "to-somebodys"},
                  {.name = "to-published"}}));
  ASSERT_OK(Await(ForEach({"published", "prepared", "to-somebodys", "to-published"}, Ready())));
  ASSERT_OK(AwaitSecret(lab(), "published"));
  ASSERT_OK(AwaitSecret(lab(), "prepared"));

  ASSERT_OK(
      Give({{.name = "to-somebodys", .spec = WriteTo("somebodys")}, {.name = "to-published", .spec = WriteTo("published")}}));
  Expected refused = Ready();
  refused.conditions = {{"Ready", "True Available"}, {"Synced", "False ReconcileError"}};
  refused.says = {"there is a Secret somebodys already, of type Opaque"};
  refused.events = {"Warning CannotPublishConnectionDetails"};
  Expected refused_too = refused;
  refused_too.says = {"Secret published belongs to Network published"};
  ASSERT_OK(Await({{"to-somebodys", refused}, {"to-published", refused_too}}));
  ASSERT_OK(lab().Run({"patch", "secret", "published", R"(--patch={"stringData":{"note":"mine","id":"wrong"}})"}).status());
  ASSERT_OK(AwaitSecret(lab(), "published"));
  ASSERT_OK_AND_ASSIGN(const View view, View::Of(lab()));
  EXPECT_EQ(Data(*view.FindOther("Secret/published"), "note"), "mine");
  EXPECT_EQ(Data(*view.FindOther("Secret/prepared"), "note"), "mine");
  EXPECT_EQ(json::Find(*view.FindOther("Secret/somebodys"), {"data"}), nullptr);

  // What is deleted comes back; nothing is written while nothing changes. In the end Kubernetes deletes it with its owner.
  ASSERT_OK(lab().Run({"delete", "secret", "prepared"}).status());
  ASSERT_OK(AwaitSecret(lab(), "prepared"));
  ASSERT_OK(AwaitLists(2));
  ASSERT_OK_AND_ASSIGN(const View later, View::Of(lab()));
  EXPECT_EQ(VersionOf(later, "Secret/published"), VersionOf(view, "Secret/published"));
  ASSERT_OK(Delete({"published", "prepared", "to-somebodys", "to-published"}));
  ASSERT_OK(Await(ForEach({"published", "prepared", "to-somebodys", "to-published"}, Gone())));
}

}  // namespace
}  // namespace kupen::test
