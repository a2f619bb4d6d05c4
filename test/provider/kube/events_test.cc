#include "provider/kube/events.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/fake_transport.h"

namespace kupen::kube {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using Type = EventRecorder::Type;

class EventsTest : public testing::Test {
 protected:
  static ObjectReference Network(const std::string& name, const std::string& ns = "n") {
    return {.api_version = "network.m.kupenstack.io/v1alpha1", .kind = "Network", .key = {ns, name}, .uid = "u-" + name};
  }

  void Record(const std::string& name, const std::string& message) {
    recorder_.Record(Network(name), Type::kWarning, "CannotCreate", message);
  }

  http::Request Request(size_t number) {
    transport_.AwaitRequests(number + 1);
    return transport_.requests()[number];
  }

  test::FakeTransport transport_;
  test::FakeClock clock_;
  Client client_{transport_, "tester"};
  EventRecorder recorder_{client_, clock_, {.component = "kupen", .instance = "pod-1", .max_queued = 30}};
};

TEST_F(EventsTest, MakesAnEvent) {
  transport_.Reply(201, "{}");
  Record("a", "quota \"x\" exceeded");
  const http::Request request = Request(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_THAT(request.target, HasSubstr("/api/v1/namespaces/n/events?"));
  const auto body = json::Parse(request.body);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_THAT(std::string(json::String(*body, {"metadata", "name"})), MatchesRegex("a\\.[0-9a-f]+\\.1"));
  EXPECT_EQ(json::String(*body, {"involvedObject", "kind"}), "Network");
  EXPECT_EQ(json::String(*body, {"involvedObject", "uid"}), "u-a");
  EXPECT_EQ(json::String(*body, {"type"}), "Warning");
  EXPECT_EQ(json::String(*body, {"reason"}), "CannotCreate");
  EXPECT_EQ(json::String(*body, {"message"}), "quota \"x\" exceeded");
  EXPECT_EQ(json::String(*body, {"source", "component"}), "kupen");
  EXPECT_EQ(json::String(*body, {"firstTimestamp"}), "2027-01-15T08:00:00Z");
  EXPECT_THAT(request.body, HasSubstr(R"("count":1)"));
}

TEST_F(EventsTest, MayHaveAnnotations) {
  transport_.Reply(201, "{}");
  recorder_.Record(Network("a"), Type::kNormal, "Created", "", {{"external-name", "n-1"}});
  EXPECT_THAT(Request(0).body, HasSubstr(R"("annotations":{"external-name":"n-1"})"));
}

TEST_F(EventsTest, ClusterScopedObjectsReportInTheDefaultNamespace) {
  transport_.Reply(201, "{}");
  recorder_.Record(Network("a", ""), Type::kNormal, "Created", "");
  EXPECT_THAT(Request(0).target, HasSubstr("/namespaces/default/events"));
}

TEST_F(EventsTest, TheSameAgainRaisesTheCount) {
  transport_.Reply(201, "{}");
  Record("a", "no");
  Request(0);
  clock_.Advance(absl::Minutes(1));
  transport_.Reply(200, "{}");
  Record("a", "no");
  const http::Request patch = Request(1);
  EXPECT_EQ(patch.method, "PATCH");
  EXPECT_THAT(patch.target, MatchesRegex("/api/v1/namespaces/n/events/a\\.[0-9a-f]+\\.1\\?.*"));
  EXPECT_EQ(patch.body, R"({"count":2,"lastTimestamp":"2027-01-15T08:01:00Z"})");
  transport_.Reply(201, "{}");
  Record("a", "something else");
  EXPECT_EQ(Request(2).method, "POST");
}

TEST_F(EventsTest, OldNewsAreNews) {
  transport_.Reply(201, "{}");
  Record("a", "no");
  Request(0);
  clock_.Advance(absl::Minutes(11));
  transport_.Reply(201, "{}");
  Record("a", "no");
  EXPECT_EQ(Request(1).method, "POST");
}

TEST_F(EventsTest, AnEventThatTheServerForgotIsMadeAgain) {
  transport_.Reply(201, "{}");
  Record("a", "no");
  Request(0);
  transport_.Reply(404, R"({"kind":"Status"})");
  transport_.Reply(201, "{}");
  Record("a", "no");
  EXPECT_EQ(Request(1).method, "PATCH");
  EXPECT_EQ(Request(2).method, "POST");
  EXPECT_THAT(Request(2).body, HasSubstr(R"("count":2)"));
}

TEST_F(EventsTest, TheSameWhileQueuedIsOneRequest) {
  Record("blocker", "waits for its answer");
  transport_.AwaitRequests(1);
  for (int i = 0; i < 20; ++i) Record("a", "no");
  transport_.Reply(201, "{}");
  EXPECT_THAT(Request(1).body, HasSubstr(R"("count":20)"));
}

TEST_F(EventsTest, OneObjectCannotFloodTheCluster) {
  for (int i = 0; i < 30; ++i) {
    transport_.Reply(201, "{}");
    Record("a", absl::StrCat("message ", i));
  }
  Request(24);
  EXPECT_EQ(recorder_.dropped(), 5);
  Record("other", "has its own allowance");
  EXPECT_THAT(Request(25).body, HasSubstr("own allowance"));
  clock_.Advance(absl::Minutes(5));
  Record("a", "after a while");
  EXPECT_THAT(Request(26).body, HasSubstr("after a while"));
}

TEST_F(EventsTest, AFullQueueDropsAndDoesNotBlock) {
  Record("blocker", "waits for its answer");
  transport_.AwaitRequests(1);
  for (int i = 0; i < 35; ++i) Record(absl::StrCat("object-", i), "no");
  EXPECT_EQ(recorder_.dropped(), 5);
}

TEST_F(EventsTest, TriesAgainWhenTheServerIsAway) {
  transport_.ReplyError(absl::UnavailableError("refused"));
  transport_.Reply(409, R"({"kind":"Status","reason":"AlreadyExists"})");
  Record("a", "no");
  clock_.AwaitWaiters(1);
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(Request(1).body, Request(0).body);
  // It had arrived: the next is a patch.
  transport_.Reply(200, "{}");
  Record("a", "no");
  EXPECT_EQ(Request(2).method, "PATCH");
  EXPECT_EQ(recorder_.dropped(), 0);
}

TEST_F(EventsTest, WhatTheServerRefusesIsDropped) {
  transport_.Reply(403, R"({"kind":"Status","message":"namespace is being terminated"})");
  transport_.Reply(201, "{}");
  Record("a", "no");
  Record("b", "no");
  Request(1);
  EXPECT_EQ(recorder_.dropped(), 1);
}

TEST_F(EventsTest, LongMessagesAreCutBetweenCharacters) {
  transport_.Reply(201, "{}");
  std::string text;
  for (int i = 0; i < 600; ++i) text += "ü";
  Record("a", text);
  const auto body = json::Parse(Request(0).body);
  ASSERT_TRUE(body.ok()) << body.status();
  const std::string message(json::String(*body, {"message"}));
  EXPECT_LE(message.size(), 1024);
  EXPECT_EQ(message.substr(message.size() - 5), "ü...");
}

}  // namespace
}  // namespace kupen::kube
