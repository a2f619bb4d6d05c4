#include "provider/cmd/flags.h"

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen::cmd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

absl::StatusOr<Flags> Parse(const std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& variables = {}) {
  return ParseFlags(arguments, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string Problem(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& variables = {}) {
  const absl::StatusOr<Flags> flags = Parse(arguments, variables);
  return flags.ok() ? "none" : std::string(flags.status().message());
}

TEST(Flags, DefaultsAreThoseOfOtherProviders) {
  const absl::StatusOr<Flags> flags = Parse({});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_FALSE(flags->debug);
  EXPECT_EQ(flags->sync, absl::Hours(1));
  EXPECT_EQ(flags->poll, absl::Seconds(30));
  EXPECT_EQ(flags->poll_state_metric, absl::Seconds(5));
  EXPECT_EQ(flags->max_reconcile_rate, 100);
  EXPECT_FALSE(flags->leader_election);
  EXPECT_EQ(flags->metrics_address, ":8080");
}

TEST(Flags, ValueFollowsAnEqualsSignOrIsTheNextArgument) {
  const absl::StatusOr<Flags> flags =
      Parse({"--sync=1m30s", "--poll", "500ms", "-s", "2h", "--max-reconcile-rate", "7", "--kubeconfig=/a=b"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->sync, absl::Hours(2)) << "the last one counts";
  EXPECT_EQ(flags->poll, absl::Milliseconds(500));
  EXPECT_EQ(flags->max_reconcile_rate, 7);
  EXPECT_EQ(flags->kubeconfig, "/a=b");
}

TEST(Flags, SwitchNeedsNoValue) {
  const absl::StatusOr<Flags> flags = Parse({"-d", "--leader-election"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_TRUE(flags->debug);
  EXPECT_TRUE(flags->leader_election);
}

TEST(Flags, RepeatedFlagsAddUp) {
  const absl::StatusOr<Flags> flags =
      Parse({"--deny-address=10.96.0.0/12", "--allow-address=10.0.0.0/8", "--deny-address=fd00::/8"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_THAT(flags->deny_address, ElementsAre("10.96.0.0/12", "fd00::/8"));
  EXPECT_THAT(flags->allow_address, ElementsAre("10.0.0.0/8"));
}

TEST(Flags, VariableCountsUnlessTheFlagIsGiven) {
  EXPECT_TRUE(Parse({}, {{"LEADER_ELECTION", "true"}})->leader_election);
  EXPECT_FALSE(Parse({}, {{"LEADER_ELECTION", ""}})->leader_election);
  EXPECT_FALSE(Parse({"-l=false"}, {{"LEADER_ELECTION", "true"}})->leader_election);
  EXPECT_EQ(Problem({}, {{"LEADER_ELECTION", "maybe"}}), "$LEADER_ELECTION=\"maybe\": has to be true or false");
}

TEST(Flags, UnknownFlagNamesItselfAndTheNearest) {
  EXPECT_EQ(Problem({"--poll-interval=1m"}), "unknown flag --poll-interval; the nearest is --poll");
  EXPECT_EQ(Problem({"--debgu"}), "unknown flag --debgu; the nearest is --debug");
  EXPECT_EQ(Problem({"--leaderelection=true"}), "unknown flag --leaderelection; the nearest is --leader-election");
  EXPECT_THAT(Problem({"-x"}), HasSubstr("unknown flag -x"));
  EXPECT_THAT(Problem({"-debug"}), HasSubstr("unknown flag -debug; the nearest is --debug"));
}

TEST(Flags, BadValueNamesFlagValueAndForm) {
  const std::string duration = "has to be a positive duration such as 500ms, 1m30s or 2h";
  EXPECT_EQ(Problem({"--poll=soon"}), "--poll=\"soon\": " + duration);
  EXPECT_EQ(Problem({"--poll=0"}), "--poll=\"0\": " + duration);
  EXPECT_EQ(Problem({"--poll=60"}), "--poll=\"60\": " + duration);
  EXPECT_EQ(Problem({"-s", "inf"}), "--sync=\"inf\": " + duration);
  EXPECT_EQ(Problem({"--max-reconcile-rate=0"}), "--max-reconcile-rate=\"0\": has to be a whole number from 1 to 10000");
  EXPECT_EQ(Problem({"--debug=yep"}), "--debug=\"yep\": has to be true or false");
  EXPECT_EQ(Problem({"--sync"}), "--sync needs a value: DURATION");
}

TEST(Flags, ArgumentThatIsNoFlagIsRefused) {
  EXPECT_THAT(Problem({"start"}), HasSubstr("unexpected argument \"start\""));
  EXPECT_THAT(Problem({"-"}), HasSubstr("unexpected argument \"-\""));
  EXPECT_THAT(Problem({""}), HasSubstr("unexpected argument \"\""));
}

TEST(Flags, WhatThisProviderCannotDoIsNotPromised) {
  EXPECT_EQ(Problem({"--enable-changelogs"}),
            "--enable-changelogs=\"true\": has to be false: this provider writes no change logs");
  EXPECT_EQ(Problem({"--enable-management-policies=false"}),
            "--enable-management-policies=\"false\": has to be true: spec.managementPolicies always counts");
  EXPECT_EQ(Problem({"--enable-changelogs=false", "--changelogs-socket-path=/var/run/changelogs/changelogs.sock",
                     "--enable-management-policies"}),
            "none");
}

TEST(Flags, HelpShowsEachFlagWithItsLetterValueAndVariable) {
  const std::string help = FlagsHelp();
  EXPECT_THAT(help, HasSubstr("  -s, --sync=DURATION "));
  EXPECT_THAT(help, HasSubstr("  -l, --leader-election "));
  EXPECT_THAT(help, HasSubstr("($LEADER_ELECTION)\n"));
  EXPECT_THAT(help, HasSubstr("      --allow-address=CIDR "));
}

}  // namespace
}  // namespace kupen::cmd
