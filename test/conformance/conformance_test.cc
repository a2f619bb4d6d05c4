// The suite that keeps the simulator honest, tried on two simulated clouds: it finds what differs, and nothing else.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "test/conformance/compare.h"
#include "test/conformance/simulated_cloud.h"
#include "test/conformance/steps.h"

namespace kupen::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Shapes(const std::string& simulated, const std::string& real) {
  std::vector<std::string> lines;
  for (const Difference& one : CompareShapes(*json::Parse(simulated), *json::Parse(real))) {
    lines.push_back(absl::StrCat(one.path, ": ", one.what));
  }
  return lines;
}

TEST(Shapes, ValuesMayDiffer) {
  EXPECT_THAT(Shapes(R"({"a": 1, "b": {"c": ["x"]}, "d": []})", R"({"d": [], "b": {"c": ["y", "z"]}, "a": 2})"), IsEmpty());
}

TEST(Shapes, TypesAndMembersMayNot) {
  EXPECT_THAT(Shapes(R"({"a": 1, "b": {"c": [{"d": null}]}})", R"({"a": "1", "b": {"c": [{"d": true, "e": 1.5}]}, "f": {}})"),
              ElementsAre("a: is an integer in the simulator, but a text in OpenStack",
                          "b.c.0.d: is null in the simulator, but a boolean in OpenStack",
                          "b.c.0.e: is missing in the simulator, but a fraction in OpenStack",
                          "f: is missing in the simulator, but an object in OpenStack"));
  EXPECT_THAT(Shapes(R"({"a": 1})", "{}"), ElementsAre("a: is an integer in the simulator, but missing in OpenStack"));
}

TEST(Shapes, ElementsMayComeInAnyOrder) {
  EXPECT_THAT(Shapes(R"([{"a": 1}, {"a": null}])", R"([{"a": null}, {"a": 1}])"), IsEmpty());
  EXPECT_THAT(Shapes(R"([{"a": 1}, {"a": null}])", R"([{"a": ""}, {"a": 1}])"),
              ElementsAre("0.a: is an integer in the simulator, but a text in OpenStack"));
}

TEST(Shapes, AListWithElementsIsNoEmptyOne) {
  EXPECT_THAT(Shapes("[]", "[1]"), ElementsAre(HasSubstr("is an empty list in the simulator, but not in OpenStack")));
  EXPECT_THAT(Shapes("[1]", "[]"), ElementsAre(HasSubstr("is a list in the simulator, but an empty one in OpenStack")));
}

TEST(Patterns, CoverWhatIsBelowThem) {
  EXPECT_TRUE(IsBelow("ports.0.binding:vif_details.bound", "ports.*.binding:vif_details"));
  EXPECT_TRUE(IsBelow("a.b", "a.b"));
  EXPECT_FALSE(IsBelow("a", "a.b"));
  EXPECT_FALSE(IsBelow("a.bc", "a.b"));
}

Reply ReplyOf(int status, const std::string& body) {
  Reply reply;
  reply.response.status = status;
  reply.response.body = body;
  reply.body = *json::Parse(body);
  return reply;
}

TEST(Replies, OfDifferentStatus) {
  EXPECT_THAT(CompareReplies({.title = "step"}, ReplyOf(200, "{}"), ReplyOf(404, R"({"a": 1})")),
              ElementsAre("step: the simulator answers 200 {}\n  and OpenStack 404 {\"a\": 1}"));
}

TEST(Replies, ThatTheProviderReadsDifferently) {
  const Step step = {.title = "step", .service = "network"};
  const std::string busy = R"({"NeutronError": {"type": "NetworkInUse", "message": "In use.", "detail": ""}})";
  const std::string full = R"({"NeutronError": {"type": "OverQuota", "message": "Full.", "detail": ""}})";
  EXPECT_THAT(CompareReplies(step, ReplyOf(409, busy), ReplyOf(409, busy)), IsEmpty());
  EXPECT_THAT(CompareReplies(step, ReplyOf(409, busy), ReplyOf(409, full)),
              ElementsAre(HasSubstr("reads the simulator's refusal as FAILED_PRECONDITION, wait, but OpenStack's as "
                                    "RESOURCE_EXHAUSTED, quota")));
}

TEST(Replies, ValuesThatMustBeTheSame) {
  EXPECT_THAT(CompareReplies({.title = "step", .same = {"a", "b"}}, ReplyOf(200, R"({"a": 1})"), ReplyOf(200, R"({"a": 2})")),
              ElementsAre("step: a: is 1 in the simulator, but 2 in OpenStack",
                          "step: b: is missing in the simulator, but missing in OpenStack"));
}

TEST(Replies, ExceptionsHoldAsLongAsTheyAreNeeded) {
  const Step step = {.title = "step", .differs = {{"a", "because"}}};
  EXPECT_THAT(CompareReplies(step, ReplyOf(200, R"({"a": 1})"), ReplyOf(200, R"({"a": {"b": 2}})")), IsEmpty());
  EXPECT_THAT(CompareReplies(step, ReplyOf(200, R"({"a": 1})"), ReplyOf(200, R"({"a": 2})")),
              ElementsAre("step: a: is the same in both, but the step says that it differs"));
}

// All that is wrong when the requests of a file go to two clouds.
std::vector<std::string> Differences(const std::string& file, SimulatedCloud& one, SimulatedCloud& other) {
  const absl::StatusOr<std::vector<Step>> steps = ReadSteps(file);
  if (!steps.ok()) return {steps.status().ToString()};
  const std::vector<Reply> ours = one.replay().Send(*steps);
  const std::vector<Reply> theirs = other.replay().Send(*steps);
  std::vector<std::string> all;
  for (size_t i = 0; i < steps->size(); ++i) {
    // What differs from the real one does not differ here.
    Step step = (*steps)[i];
    step.differs.clear();
    for (std::string& wrong : CompareReplies(step, ours[i], theirs[i])) all.push_back(std::move(wrong));
  }
  for (std::string& left : one.replay().CleanUp()) all.push_back(std::move(left));
  return all;
}

TEST(TwoSimulators, AnswerAlikeAndKeepNothing) {
  ASSERT_GT(RequestFiles().size(), 5U);
  for (const std::string& file : RequestFiles()) {
    SimulatedCloud one("run");
    SimulatedCloud other("run");
    EXPECT_THAT(Differences(file, one, other), IsEmpty());
  }
}

TEST(TwoSimulators, OneOfWhichLies) {
  SimulatedCloud one("run");
  SimulatedCloud other("run");
  other.simulator().AddFault({.effect = test::Fault::Effect::kRefuse, .service = "placement", .times = 1, .status = 503});
  const std::vector<std::string> found = Differences(RequestFiles().back(), one, other);
  EXPECT_THAT(found, ElementsAre(HasSubstr("placement.yaml:3: placement's version (placement GET /): ")));
  EXPECT_THAT(found, ElementsAre(HasSubstr("and OpenStack 503")));
}

}  // namespace
}  // namespace kupen::conformance
