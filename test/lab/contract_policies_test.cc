// spec.managementPolicies: every set that there is, accepted or refused.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "test/lab/contract.h"

namespace kupen::test {
namespace {

struct Action {
  char letter;
  const char* name;
};
constexpr Action kActions[] = {{'o', "Observe"}, {'c', "Create"}, {'u', "Update"}, {'d', "Delete"}, {'l', "LateInitialize"}};

// By the letters of its actions, in that order; "none" pauses.
struct PolicySet {
  const char* letters;
  bool creates;
  bool updates;
  bool deletes;
};
constexpr PolicySet kAccepted[] = {
    {"all", true, true, true},   {"ocudl", true, true, true}, {"ocud", true, true, true},    {"ocul", true, true, false},
    {"ocu", true, true, false},  {"ocdl", true, false, true}, {"ocl", true, false, false},   {"ocd", true, false, true},
    {"oc", true, false, false},  {"o", false, false, false},  {"od", false, false, true},    {"ou", false, true, false},
    {"oul", false, true, false}, {"ol", false, false, false}, {"none", false, false, false},
};

std::vector<std::string> WordsOf(absl::string_view letters) {
  if (letters == "none") return {};
  if (letters == "all") return {"*"};
  std::vector<std::string> words;
  for (const Action& action : kActions) {
    if (letters.find(action.letter) != absl::string_view::npos) words.emplace_back(action.name);
  }
  return words;
}

std::string PoliciesOf(absl::string_view letters) {
  const auto quote = [](std::string* text, const std::string& word) { absl::StrAppend(text, "\"", word, "\""); };
  return absl::StrCat("managementPolicies: [", absl::StrJoin(WordsOf(letters), ", ", quote), "], ");
}

// All sets of actions but the accepted ones.
std::vector<std::string> Refused() {
  std::vector<std::string> sets;
  for (unsigned bits = 1; bits < 32; ++bits) {
    std::string letters;
    for (unsigned i = 0; i < 5; ++i) {
      if ((bits & (1U << i)) != 0) letters += kActions[i].letter;
    }
    const bool accepted =
        std::any_of(std::begin(kAccepted), std::end(kAccepted), [&](const PolicySet& set) { return set.letters == letters; });
    if (!accepted) sets.push_back(letters);
  }
  return sets;
}

bool Pauses(const PolicySet& set) { return absl::string_view(set.letters) == "none"; }
bool OnlyObserves(const PolicySet& set) { return absl::string_view(set.letters) == "o"; }
std::string Make(const PolicySet& set) { return absl::StrCat("make-", set.letters); }
std::string Keep(const PolicySet& set) { return absl::StrCat("keep-", set.letters); }

Expected AfterApply(const PolicySet& set) {
  if (set.creates) {
    return {
        .conditions = {{"Ready", "True Available"}, {"Synced", "True ReconcileSuccess"}, {"UpToDate", "True ObserveMatched"}},
        .events = {"Normal CreatedExternalResource"},
        .held = true,
        .cloud = InCloud::kThere};
  }
  if (Pauses(set)) {
    return {.conditions = {{"Synced", "False ReconcilePaused"}},
            .events = {"Normal ReconciliationPaused"},
            .held = false,
            .cloud = InCloud::kAbsent};
  }
  return {.conditions = {{"Ready", "False Creating"}, {"Synced", "False ReconcileError"}},
          .says = {"observe failed: "},
          .events = {"Warning CannotObserveExternalResource"},
          .held = false,
          .cloud = InCloud::kAbsent};
}

Expected AfterChange(const PolicySet& set) {
  Expected expected{.conditions = {{"Ready", "True Available"}, {"Synced", "True ReconcileSuccess"}},
                    .held = true,
                    .cloud = InCloud::kThere,
                    .cloud_has = set.updates ? "\"mtu\":1300" : "\"mtu\":1400"};
  if (Pauses(set)) {
    expected.conditions["Synced"] = "False ReconcilePaused";
    expected.events = {"Normal ReconciliationPaused"};
  } else if (set.updates) {
    expected.conditions["UpToDate"] = "True ObserveMatched";
    expected.events = {"Normal UpdatedExternalResource"};
  } else if (!OnlyObserves(set)) {
    expected.conditions["UpToDate"] = "False UpdateRestricted";
  }
  return expected;
}

// Of an object that was in the cloud.
Expected AfterDeletion(const PolicySet& set) {
  if (Pauses(set)) return {.no_events = {"Normal DeletedExternalResource"}, .held = true, .cloud = InCloud::kThere};
  if (!set.deletes) return Orphaned();
  Expected gone = Gone();
  gone.events = {"Normal DeletedExternalResource"};
  return gone;
}

TEST_F(Contract, PoliciesThatAreAcceptedDoWhatTheySay) {
  std::vector<Given> given;
  std::vector<Given> changed;
  std::vector<std::string> names;
  Rows applied;
  Rows after_change;
  Rows deleted;
  int creates = 0;
  int updates = 0;
  int deletes = 0;
  for (const PolicySet& set : kAccepted) {
    const std::string parameters = absl::StrCat("mtu: 1400, name: ", Make(set));
    given.push_back({.name = Make(set), .parameters = parameters, .spec = PoliciesOf(set.letters)});
    given.push_back({.name = Keep(set)});
    changed.push_back({.name = Keep(set), .parameters = "mtu: 1300", .spec = PoliciesOf(set.letters)});
    applied.emplace_back(Make(set), AfterApply(set));
    applied.emplace_back(Keep(set), AfterApply(kAccepted[0]));
    after_change.emplace_back(Keep(set), AfterChange(set));
    deleted.emplace_back(Keep(set), AfterDeletion(set));
    deleted.emplace_back(Make(set), set.creates ? AfterDeletion(set) : Gone());
    names.insert(names.end(), {Make(set), Keep(set)});
    creates += 1 + (set.creates ? 1 : 0);
    updates += set.updates ? 1 : 0;
    deletes += (set.deletes ? 1 : 0) + (set.creates && set.deletes ? 1 : 0);
  }
  ASSERT_OK(Give(given));
  ASSERT_OK(Await(applied));
  EXPECT_EQ(CountRequests("POST", "/networks"), creates);

  ASSERT_OK(Give(changed));
  ASSERT_OK(Await(after_change));
  EXPECT_EQ(CountRequests("PUT", "/networks/{id}"), updates);

  ASSERT_OK(Delete(names));
  ASSERT_OK(Await(deleted));
  EXPECT_EQ(CountRequests("DELETE", "/networks/{id}"), deletes);

  ASSERT_OK(PatchNetwork("keep-none", R"({"spec":{"managementPolicies":["*"]}})"));
  ASSERT_OK(Await({{"keep-none", AfterDeletion(kAccepted[0])}}));
  EXPECT_EQ(CountRequests("POST", "/networks"), creates);
}

TEST_F(Contract, PoliciesThatAreRefusedDoNothingAndSayWhy) {
  const std::vector<std::string> sets = Refused();
  ASSERT_EQ(sets.size(), 18U);
  const Expected refused{
      .conditions = {{"Ready", "False Creating"}, {"Synced", "False ReconcileError"}, {"Stalled", "True NeedsChange"}},
      .says = {"spec.managementPolicies", "it needs Observe, and Delete needs Create"},
      .events = {"Warning CannotUseInvalidManagementPolicy"},
      .held = false,
      .cloud = InCloud::kAbsent};
  std::vector<Given> given = {{.name = "refused-mix", .spec = R"(managementPolicies: ["*", Observe], )"}, {.name = "spoiled"}};
  Rows rows = {{"refused-mix", refused}, {"spoiled", AfterApply(kAccepted[0])}};
  rows[0].second.says = {"spec.managementPolicies", "\"*\""};
  std::vector<std::string> names = {"refused-mix"};
  for (const std::string& letters : sets) {
    names.push_back(absl::StrCat("refused-", letters));
    given.push_back({.name = names.back(), .spec = PoliciesOf(letters)});
    rows.emplace_back(names.back(), refused);
    for (const std::string& word : WordsOf(letters)) rows.back().second.says.push_back(absl::StrCat("\"", word, "\""));
  }
  ASSERT_OK(Give(given));
  ASSERT_OK(Await(rows));
  EXPECT_EQ(CountRequests("POST", "/networks"), 1);

  // What exists stays as it is, whatever is asked for, until the set is mended.
  const Expected spoiled{.conditions = {{"Ready", "True Available"}, {"Synced", "False ReconcileError"}},
                         .held = true,
                         .cloud = InCloud::kThere,
                         .cloud_has = "\"mtu\":1400"};
  ASSERT_OK(Give({{.name = "spoiled", .parameters = "mtu: 1300", .spec = PoliciesOf("cd")},
                  {.name = "refused-c", .spec = PoliciesOf("ocud")}}));
  ASSERT_OK(Await({{"spoiled", spoiled}, {"refused-c", AfterApply(kAccepted[0])}}));
  names.push_back("spoiled");
  ASSERT_OK(Delete(names));
  std::erase(names, "spoiled");
  Rows gone = ForEach(names, Gone());
  gone.emplace_back("spoiled", Expected{.held = true, .cloud = InCloud::kThere, .cloud_has = "\"mtu\":1400"});
  ASSERT_OK(Await(gone));
  ASSERT_OK(PatchNetwork("spoiled", R"({"spec":{"managementPolicies":["*"]}})"));
  ASSERT_OK(Await({{"spoiled", AfterDeletion(kAccepted[0])}}));
}

}  // namespace
}  // namespace kupen::test
