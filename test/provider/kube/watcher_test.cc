#include "provider/kube/watcher.h"

#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "provider/kube/line_splitter.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/fake_transport.h"

namespace kupen::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using State = Watcher::State;

std::string Line(absl::string_view type, absl::string_view name, int version) {
  return absl::StrCat(R"({"type":")", type, R"(","object":{"metadata":{"name":")", name, R"(","resourceVersion":")", version,
                      "\"}}}\n");
}

std::string EndOfInitialEvents(int version) {
  return absl::StrCat(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")", version,
                      R"(","annotations":{"k8s.io/initial-events-end":"true"}}}})", "\n");
}

std::string Error(int code) {
  return absl::StrCat(R"({"type":"ERROR","object":{"kind":"Status","code":)", code, R"(,"message":"sorry"}})", "\n");
}

std::string List(absl::string_view names, absl::string_view continue_token, int version) {
  std::string items;
  for (const char name : names)
    absl::StrAppend(&items, items.empty() ? "" : ",", R"({"metadata":{"name":")", std::string(1, name), R"("}})");
  return absl::StrCat(R"({"metadata":{"resourceVersion":")", version, R"(","continue":")", continue_token, R"("},"items":[)",
                      items, "]}");
}

class WatcherTest : public testing::Test {
 protected:
  // Steps until the transport has had that many requests in all; gives the last pause.
  absl::Duration StepTo(size_t requests) {
    absl::Duration pause;
    while (transport_.requests().size() < requests) pause = watcher_.Step({});
    return pause;
  }

  std::string Target(size_t request) const { return transport_.requests()[request].target; }

  void TakeEvent(const WatchEvent& event) {
    static constexpr const char* kNames[] = {"Init", "InitApply", "InitDone", "Apply", "Delete"};
    std::string text = kNames[static_cast<int>(event.type)];
    if (event.object != nullptr) absl::StrAppend(&text, " ", json::String(*event.object, {"metadata", "name"}));
    events_.push_back(text);
  }

  test::FakeTransport transport_;
  test::FakeClock clock_;
  Client client_{transport_, "tester"};
  std::vector<std::string> events_;
  std::vector<std::string> problems_;
  Watcher watcher_{client_,
                   clock_,
                   {.resource = {.version = "v1", .plural = "configmaps"}, .scope = {.ns = "a", .label_selector = "x=y"}},
                   [this](const WatchEvent& event) { TakeEvent(event); },
                   [this](const absl::Status& problem) { problems_.push_back(problem.ToString()); }};
};

TEST_F(WatcherTest, StreamsTheInitialObjectsThenChangesInOneRequest) {
  const std::string body = absl::StrCat(Line("ADDED", "a", 1), Line("ADDED", "b", 2), EndOfInitialEvents(5),
                                        Line("MODIFIED", "a", 6), Line("ADDED", "c", 7), Line("DELETED", "b", 8));
  // Cut anywhere.
  transport_.ReplyStream({body.substr(0, 10), body.substr(10, 200), body.substr(210)});
  StepTo(1);
  EXPECT_EQ(watcher_.state(), State::kWatching);
  EXPECT_THAT(events_, ElementsAre("Init", "InitApply a", "InitApply b", "InitDone", "Apply a", "Apply c", "Delete b"));
  EXPECT_THAT(Target(0),
              MatchesRegex("/api/v1/namespaces/a/configmaps\\?watch=true&sendInitialEvents=true&resourceVersionMatch="
                           "NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=2[4-9][0-9]&labelSelector=x%3Dy"));
  EXPECT_GE(transport_.requests()[0].timeout, absl::Seconds(245));
  EXPECT_LE(transport_.requests()[0].timeout, absl::Seconds(295));
  EXPECT_THAT(problems_, IsEmpty());

  // The server has closed the stream: the next goes on from the last version.
  transport_.ReplyStream({Line("MODIFIED", "c", 9)});
  EXPECT_EQ(StepTo(2), absl::ZeroDuration());
  EXPECT_THAT(Target(1), HasSubstr("watch=true&resourceVersion=8&allowWatchBookmarks=true"));
  EXPECT_EQ(events_.back(), "Apply c");
}

TEST_F(WatcherTest, ListsPageByPageWhenStreamingIsNotSupported) {
  transport_.Reply(422, R"({"kind":"Status","reason":"Invalid","message":"sendInitialEvents is forbidden"})");
  transport_.Reply(200, List("ab", "more", 5));
  transport_.Reply(200, List("c", "", 5));
  transport_.ReplyStream({Line("DELETED", "a", 6)});
  StepTo(4);
  EXPECT_THAT(events_, ElementsAre("Init", "Init", "InitApply a", "InitApply b", "InitApply c", "InitDone", "Delete a"));
  EXPECT_THAT(Target(1), HasSubstr("?limit=500&labelSelector=x%3Dy"));
  EXPECT_THAT(Target(2), HasSubstr("continue=more"));
  EXPECT_THAT(Target(3), HasSubstr("resourceVersion=5&"));
  EXPECT_THAT(problems_, IsEmpty());
  EXPECT_EQ(watcher_.state(), State::kWatching);
}

TEST_F(WatcherTest, RemembersThatStreamingIsNotSupported) {
  transport_.Reply(400, R"({"kind":"Status"})");
  transport_.Reply(200, List("a", "", 5));
  transport_.ReplyStream({Line("MODIFIED", "a", 6), Error(410)});
  transport_.Reply(200, List("a", "", 9));
  StepTo(4);
  EXPECT_THAT(Target(3), HasSubstr("?limit=500"));
}

TEST_F(WatcherTest, AnExpiredContinueTokenStartsTheListAgain) {
  transport_.Reply(400, R"({"kind":"Status"})");
  transport_.Reply(200, List("ab", "more", 5));
  transport_.Reply(410, R"({"kind":"Status","reason":"Expired"})");
  EXPECT_GT(StepTo(3), absl::ZeroDuration());
  EXPECT_EQ(watcher_.state(), State::kEmpty);
  transport_.Reply(200, List("b", "", 7));
  StepTo(4);
  EXPECT_THAT(Target(3), Not(HasSubstr("continue=")));
  EXPECT_THAT(events_, ElementsAre("Init", "Init", "InitApply a", "InitApply b", "Init", "InitApply b", "InitDone"));
}

TEST_F(WatcherTest, AFailedPageIsAskedForAgain) {
  transport_.Reply(400, R"({"kind":"Status"})");
  transport_.Reply(200, List("a", "more", 5));
  transport_.ReplyError(absl::UnavailableError("refused"));
  EXPECT_GT(StepTo(3), absl::ZeroDuration());
  EXPECT_EQ(watcher_.state(), State::kListing);
  transport_.Reply(200, List("b", "", 5));
  StepTo(4);
  EXPECT_THAT(Target(3), HasSubstr("continue=more"));
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("list configmaps.v1 a: refused")));
}

TEST_F(WatcherTest, AnInitialStreamThatIsCutOffStartsAgain) {
  transport_.ReplyStream({Line("ADDED", "a", 1)});
  EXPECT_GT(StepTo(1), absl::ZeroDuration());
  EXPECT_EQ(watcher_.state(), State::kEmpty);
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("ended before all objects were sent")));
  transport_.ReplyStream({EndOfInitialEvents(3)});
  StepTo(2);
  EXPECT_THAT(events_, ElementsAre("Init", "InitApply a", "Init", "InitDone"));
}

TEST_F(WatcherTest, NonsenseDoesNotMeanThatStreamingIsNotSupported) {
  transport_.ReplyStream({"not json\n"});
  transport_.ReplyStream({EndOfInitialEvents(3)});
  StepTo(2);
  EXPECT_THAT(Target(1), HasSubstr("sendInitialEvents=true"));
}

TEST_F(WatcherTest, BookmarksOnlyMoveTheVersion) {
  transport_.ReplyStream(
      {EndOfInitialEvents(3), R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"40"}}})", "\n"});
  transport_.ReplyStream({});
  StepTo(2);
  EXPECT_THAT(Target(1), HasSubstr("resourceVersion=40&"));
  EXPECT_THAT(events_, ElementsAre("Init", "InitDone"));
}

TEST_F(WatcherTest, TooOldAVersionMeansANewList) {
  transport_.ReplyStream({EndOfInitialEvents(3)});
  transport_.ReplyStream({Line("ADDED", "a", 4), Error(410)});
  EXPECT_EQ(StepTo(2), absl::ZeroDuration());
  EXPECT_EQ(watcher_.state(), State::kEmpty);
  transport_.ReplyStream({EndOfInitialEvents(9)});
  StepTo(3);
  // The same as an answer, with nothing before it: a pause, so that it does not spin.
  transport_.Reply(410, R"({"kind":"Status"})");
  EXPECT_GT(StepTo(4), absl::ZeroDuration());
  EXPECT_EQ(watcher_.state(), State::kEmpty);
}

TEST_F(WatcherTest, AnotherErrorInTheStreamResumes) {
  transport_.ReplyStream({EndOfInitialEvents(3)});
  transport_.ReplyStream({Line("ADDED", "a", 4), Error(500)});
  EXPECT_GT(StepTo(2), absl::ZeroDuration());
  EXPECT_EQ(watcher_.state(), State::kWatching);
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("watch configmaps.v1: sorry (HTTP 500)")));
  transport_.ReplyStream({});
  StepTo(3);
  EXPECT_THAT(Target(2), HasSubstr("resourceVersion=4&"));
}

TEST_F(WatcherTest, ABrokenStreamResumes) {
  transport_.ReplyStream({EndOfInitialEvents(3)});
  transport_.ReplyStream({Line("ADDED", "a", 4), R"({"type":"ADD)"}, absl::DeadlineExceededError("silent"));
  StepTo(2);
  transport_.ReplyStream({Line("ADDED", "b", 5)});
  StepTo(3);
  EXPECT_THAT(Target(2), HasSubstr("resourceVersion=4&"));
  EXPECT_THAT(events_, ElementsAre("Init", "InitDone", "Apply a", "Apply b"));
}

TEST_F(WatcherTest, ABreakAfterTheInitialEventsKeepsThem) {
  transport_.ReplyStream({Line("ADDED", "a", 2), EndOfInitialEvents(3)}, absl::UnavailableError("reset"));
  EXPECT_GT(StepTo(1), absl::ZeroDuration());
  EXPECT_EQ(watcher_.state(), State::kWatching);
}

TEST_F(WatcherTest, TooOldAVersionRightAfterTheInitialEventsMeansANewList) {
  transport_.ReplyStream({Line("ADDED", "a", 2), EndOfInitialEvents(3), Error(410)});
  EXPECT_EQ(StepTo(1), absl::ZeroDuration());
  EXPECT_EQ(watcher_.state(), State::kEmpty);
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(WatcherTest, NonsenseInTheStreamIsAProblemNotACrash) {
  transport_.ReplyStream({EndOfInitialEvents(3), "not json\n"});
  transport_.ReplyStream({R"({"type":"ADDED"})", "\n"});
  transport_.ReplyStream({R"({"type":"ADDED","object":{}})", "\n"});
  transport_.ReplyStream({Line("STRANGE", "a", 4)});
  StepTo(4);
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("not JSON"), HasSubstr("without an object"), HasSubstr("without a version"),
                                     HasSubstr("unknown type \"STRANGE\"")));
}

TEST_F(WatcherTest, AMissingResourceIsAskedForSlowly) {
  transport_.Reply(404, "404 page not found\n");
  EXPECT_GE(StepTo(1), absl::Seconds(30));
  EXPECT_EQ(watcher_.state(), State::kEmpty);
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("HTTP 404: 404 page not found")));
  transport_.ReplyStream({EndOfInitialEvents(3)});
  StepTo(2);
  // It vanishes again later.
  transport_.Reply(404, "404 page not found\n");
  EXPECT_GE(StepTo(3), absl::Seconds(30));
  EXPECT_EQ(watcher_.state(), State::kEmpty);
}

TEST_F(WatcherTest, WaitsAsLongAsTheServerAsks) {
  transport_.Reply(429, "", {{"Retry-After", "17"}});
  EXPECT_EQ(StepTo(1), absl::Seconds(17));
}

TEST_F(WatcherTest, PausesGrowUntilAWatchHasLasted) {
  transport_.ReplyStream({EndOfInitialEvents(3)});
  StepTo(1);
  absl::Duration pause;
  for (size_t i = 0; i < 8; ++i) {
    transport_.ReplyError(absl::UnavailableError("refused"));
    pause = StepTo(2 + i);
  }
  EXPECT_GE(pause, absl::Seconds(15));
  EXPECT_LE(pause, absl::Seconds(30));
  transport_.ReplyWith([&](const http::Request&, const http::BodySink&) -> absl::StatusOr<http::Response> {
    clock_.Advance(absl::Minutes(4));
    return absl::UnavailableError("reset");
  });
  EXPECT_LE(StepTo(10), absl::Milliseconds(800));
}

TEST_F(WatcherTest, AWatchThatIsClosedAtOnceDoesNotSpin) {
  transport_.ReplyStream({EndOfInitialEvents(3)});
  transport_.ReplyStream({});
  EXPECT_GT(StepTo(2), absl::ZeroDuration());
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(WatcherTest, RunsUntilItIsStopped) {
  std::jthread thread([this](const std::stop_token& stop) { watcher_.Run(stop); });
  transport_.ReplyError(absl::UnavailableError("refused"));
  clock_.AwaitWaiters(1);
  clock_.Advance(absl::Minutes(1));
  transport_.ReplyStream({EndOfInitialEvents(3), Line("ADDED", "a", 4)});
  // The third waits for an answer.
  transport_.AwaitRequests(3);
  thread.request_stop();
  thread.join();
  EXPECT_THAT(events_, ElementsAre("Init", "Init", "InitDone", "Apply a"));
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("refused")));
}

TEST(LineSplitter, JoinsPiecesAndLeavesOutEmptyLines) {
  LineSplitter splitter(10);
  std::vector<std::string> lines;
  const auto take = [&](absl::string_view line) { return lines.emplace_back(line), absl::OkStatus(); };
  for (const char* piece : {"a", "b\n\ncd\r\ne", "f\n", "\n", "tail"}) ASSERT_TRUE(splitter.Feed(piece, take).ok());
  EXPECT_THAT(lines, ElementsAre("ab", "cd", "ef"));
}

TEST(LineSplitter, IsBounded) {
  LineSplitter splitter(10);
  const auto take = [](absl::string_view) { return absl::OkStatus(); };
  EXPECT_TRUE(splitter.Feed("12345\n12345", take).ok());
  EXPECT_TRUE(splitter.Feed("67890\n", take).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(splitter.Feed("12345678901", take)));
}

}  // namespace
}  // namespace kupen::kube
