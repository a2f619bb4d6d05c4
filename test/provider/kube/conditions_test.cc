#include "provider/kube/conditions.h"

#include <string>

#include "gtest/gtest.h"
#include "provider/json/json.h"

namespace kupen::kube {
namespace {

using Status = Condition::Status;

constexpr absl::Time kNoon = absl::FromUnixSeconds(1'800'000'000);

class ConditionsTest : public testing::Test {
 protected:
  std::string Update(const std::vector<Condition>& now, absl::Time time, int64_t generation = 1) {
    conditions_ =
        UpdateConditions(conditions_.IsArray() ? &conditions_ : nullptr, now, generation, time, document_.GetAllocator());
    return json::Write(conditions_);
  }

  rapidjson::Document document_;
  rapidjson::Value conditions_;
};

TEST_F(ConditionsTest, AreSortedAndComplete) {
  EXPECT_EQ(Update({{.type = "Synced", .status = Status::kTrue, .reason = "ReconcileSuccess"},
                    {.type = "Ready", .status = Status::kFalse, .reason = "Creating", .message = "waiting for the network"}},
                   kNoon, 7),
            R"([{"type":"Ready","status":"False","observedGeneration":7,"lastTransitionTime":"2027-01-15T08:00:00Z",)"
            R"("reason":"Creating","message":"waiting for the network"},)"
            R"({"type":"Synced","status":"True","observedGeneration":7,"lastTransitionTime":"2027-01-15T08:00:00Z",)"
            R"("reason":"ReconcileSuccess"}])");
}

TEST_F(ConditionsTest, SameStateGivesTheSameBytesLater) {
  const std::vector<Condition> state = {{.type = "Ready", .status = Status::kTrue, .reason = "Available"}};
  const std::string first = Update(state, kNoon);
  EXPECT_EQ(Update(state, kNoon + absl::Hours(1)), first);
}

TEST_F(ConditionsTest, TransitionTimeMovesWithTheStatusAlone) {
  Update({{.type = "Ready", .status = Status::kFalse, .reason = "Creating"}}, kNoon);
  Update({{.type = "Ready", .status = Status::kFalse, .reason = "Unavailable", .message = "other words"}},
         kNoon + absl::Hours(1), 2);
  EXPECT_EQ(json::String(conditions_[0], {"lastTransitionTime"}), "2027-01-15T08:00:00Z");
  EXPECT_EQ(json::String(conditions_[0], {"reason"}), "Unavailable");
  Update({{.type = "Ready", .status = Status::kTrue, .reason = "Available"}}, kNoon + absl::Hours(2), 2);
  EXPECT_EQ(json::String(conditions_[0], {"lastTransitionTime"}), "2027-01-15T10:00:00Z");
}

TEST_F(ConditionsTest, OtherTypesAreKept) {
  Update({{.type = "Stalled", .status = Status::kTrue, .reason = "Quota"}}, kNoon);
  Update({{.type = "Ready", .status = Status::kTrue, .reason = "Available"}}, kNoon);
  EXPECT_EQ(conditions_.Size(), 2u);
}

TEST(StableMessage, DropsWhatDiffersFromAnswerToAnswer) {
  EXPECT_EQ(StableMessage("nova: 409 Conflict (Request-ID: req-0b1f9d43-5a2c-4c6e-9d3f-0123456789ab)"), "nova: 409 Conflict");
  EXPECT_EQ(StableMessage("failed at 2026-01-31T12:00:00.123Z in <Thing at 0x7f3a5c0d1e2f>"), "failed at in <Thing at >");
  EXPECT_EQ(StableMessage("two\n  lines"), "two lines");
  EXPECT_EQ(StableMessage("port 8774, flavor 42 and 10.0.0.1 stay"), "port 8774, flavor 42 and 10.0.0.1 stay");
}

TEST(StableMessage, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(StableMessage("a\xFF"), "a\uFFFD");
  EXPECT_EQ(StableMessage(std::string(2047, ' ') + "ü"), "") << "half a character is none";
}

TEST(StableMessage, IsCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "ü";
  const std::string cut = StableMessage("x" + text);
  EXPECT_EQ(cut.size(), 511u) << "the 512th byte would be half of a character";
}

}  // namespace
}  // namespace kupen::kube
