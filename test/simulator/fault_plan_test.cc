#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "test/simulator/faults.h"

namespace kupen::simulator {
namespace {

using Effect = Fault::Effect;
using ::testing::HasSubstr;

bool Refuses(FaultPlan& plan, absl::string_view method, absl::string_view path) {
  return plan.Apply("network", method, path, "demo").refuse != 0;
}

TEST(FaultPlan, PathsMayHaveStars) {
  FaultPlan plan(1);
  plan.Add({.path = "/networks/*/tags"});
  EXPECT_TRUE(Refuses(plan, "PUT", "/networks/1f0/tags"));
  EXPECT_FALSE(Refuses(plan, "PUT", "/networks/1f0"));
  EXPECT_FALSE(Refuses(plan, "PUT", "/ports/1f0/tags"));
}

TEST(FaultPlan, WithoutAPathAllFit) {
  FaultPlan plan(1);
  plan.Add({.method = "GET"});
  EXPECT_TRUE(Refuses(plan, "GET", "/networks"));
  EXPECT_FALSE(Refuses(plan, "POST", "/networks"));
}

TEST(FaultPlan, SomeAreSparedThenSomeAreHit) {
  FaultPlan plan(1);
  plan.Add({.path = "/networks", .times = 2, .skip = 1});
  EXPECT_FALSE(Refuses(plan, "GET", "/networks"));
  EXPECT_FALSE(Refuses(plan, "GET", "/ports")) << "those that do not fit do not count";
  EXPECT_TRUE(Refuses(plan, "GET", "/networks"));
  EXPECT_TRUE(Refuses(plan, "GET", "/networks"));
  EXPECT_FALSE(Refuses(plan, "GET", "/networks"));
  EXPECT_EQ(plan.faults()[0].hits, 2);
}

TEST(FaultPlan, ByChanceButAlwaysTheSame) {
  FaultPlan plan(1);
  FaultPlan same(1);
  plan.Add({.probability = 0.5});
  same.Add({.probability = 0.5});
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(Refuses(plan, "GET", "/"), Refuses(same, "GET", "/"));
  EXPECT_GT(plan.faults()[0].hits, 400);
  EXPECT_LT(plan.faults()[0].hits, 600);
}

TEST(FaultPlan, OneRequestMayGetSeveral) {
  FaultPlan plan(1);
  plan.Add({.effect = Effect::kDelay, .delay = absl::Seconds(1)});
  plan.Add({.effect = Effect::kDelay, .delay = absl::Seconds(2)});
  plan.Add({.effect = Effect::kDropAfter});
  const FaultEffects effects = plan.Apply("image", "GET", "/images", "demo");
  EXPECT_EQ(effects.delay, absl::Seconds(3));
  EXPECT_TRUE(effects.drop_after);
  EXPECT_FALSE(effects.drop);
}

absl::StatusOr<std::vector<Fault>> Parsed(absl::string_view text) { return ParseFaults(*json::Parse(text)); }

TEST(Faults, AsJsonAndBack) {
  const auto faults = Parsed(R"({"faults": [{"effect": "refuse", "service": "network", "method": "POST", "path": "/networks",
      "user": "demo", "times": 3, "skip": 2, "probability": 0.25, "status": 429, "retryAfter": 1},
      {"effect": "delay", "delay": "1.5s"}, {"effect": "down-cell", "cell": 2}, {"effect": "lost-role", "share": 40}]})");
  ASSERT_TRUE(faults.ok()) << faults.status();
  EXPECT_EQ((*faults)[0].retry_after, 1);
  EXPECT_EQ((*faults)[1].delay, absl::Seconds(1.5));
  const auto again = Parsed(WriteFaults(*faults));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(WriteFaults(*again), WriteFaults(*faults));
}

TEST(Faults, ErrorsNameThePlaceAndWhatIsAllowed) {
  const auto error = [](absl::string_view text) { return std::string(Parsed(text).status().message()); };
  EXPECT_THAT(error("{}"), HasSubstr("faults"));
  EXPECT_EQ(error(R"({"faults": [{"effect": "drop"}, {"status": 500}]})"), "faults[1]: effect is missing");
  EXPECT_THAT(error(R"({"faults": [{"effect": "explode"}]})"),
              HasSubstr(R"(faults[0]: effect: is "explode", but must be one of)"));
  EXPECT_THAT(error(R"({"faults": [{"effect": "drop", "times": "3"}]})"), HasSubstr(R"(times: is "3", but must be a number)"));
  EXPECT_THAT(error(R"({"faults": [{"effect": "drop", "colour": 1}]})"), HasSubstr("colour: is unknown; there are effect,"));
}

}  // namespace
}  // namespace kupen::simulator
