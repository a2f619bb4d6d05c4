#include "provider/managed/policies.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"

namespace kupen::managed {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<Policies> Parsed(const std::string& list) {
  const absl::StatusOr<rapidjson::Document> document = json::Parse(list);
  EXPECT_TRUE(document.ok()) << document.status();
  return Policies::Parse(&*document);
}

std::string List(const std::vector<std::string>& names) {
  return names.empty() ? "[]" : "[\"" + absl::StrJoin(names, "\",\"") + "\"]";
}

TEST(Policies, ExactlyCrossplanesFifteenSetsAreAccepted) {
  const std::set<std::set<std::string>> accepted = {
      {"Observe", "Create", "Update", "LateInitialize", "Delete"},
      {"Observe"},
      {},
      {"Observe", "Create", "Update", "Delete"},
      {"Observe", "Create", "Update", "LateInitialize"},
      {"Observe", "Create", "Update"},
      {"Observe", "Create", "Delete", "LateInitialize"},
      {"Observe", "Create", "LateInitialize"},
      {"Observe", "Create", "Delete"},
      {"Observe", "Create"},
      {"Observe", "Delete"},
      {"Observe", "Update"},
      {"Observe", "LateInitialize"},
      {"Observe", "Update", "LateInitialize"},
  };
  const std::vector<std::string> all = {"Observe", "Create", "Update", "Delete", "LateInitialize"};
  for (unsigned bits = 0; bits < 32; ++bits) {
    std::vector<std::string> names;
    for (unsigned i = 0; i < all.size(); ++i) {
      if ((bits & (1U << i)) != 0) names.push_back(all[i]);
    }
    EXPECT_EQ(Parsed(List(names)).ok(), accepted.contains({names.begin(), names.end()})) << List(names);
  }
  EXPECT_TRUE(Parsed(R"(["*"])").ok());
}

TEST(Policies, AbsentMeansEverything) {
  const Policies policies = Policies::Parse(nullptr).value();
  EXPECT_TRUE(policies.may_create() && policies.may_update() && policies.may_delete() && policies.may_late_initialize());
  EXPECT_FALSE(policies.paused() || policies.only_observes());
}

TEST(Policies, SayWhatMayBeDone) {
  EXPECT_TRUE(Parsed("[]")->paused());
  EXPECT_TRUE(Parsed(R"(["Observe"])")->only_observes());
  const Policies orphan = *Parsed(R"(["Observe","Create","Update"])");
  EXPECT_TRUE(orphan.may_create() && orphan.may_update());
  EXPECT_FALSE(orphan.may_delete() || orphan.may_late_initialize());
}

TEST(Policies, RefusalsSayWhatIsAllowed) {
  EXPECT_THAT(std::string(Parsed(R"(["*","Observe"])").status().message()), HasSubstr("\"*\" alone"));
  EXPECT_THAT(std::string(Parsed(R"(["Destroy"])").status().message()), HasSubstr("\"Destroy\" is not allowed"));
  EXPECT_THAT(std::string(Parsed(R"(["Create"])").status().message()), HasSubstr("needs Observe"));
}

}  // namespace
}  // namespace kupen::managed
