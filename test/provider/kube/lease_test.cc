#include "provider/kube/lease.h"

#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/fake_transport.h"

namespace kupen::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Stored(const std::string& holder, const std::string& renewed, int version = 1, int transitions = 0) {
  return absl::StrCat(R"({"metadata":{"resourceVersion":")", version, R"("},"spec":{"holderIdentity":")", holder,
                      R"(","renewTime":")", renewed, R"(","leaseDurationSeconds":15,"leaseTransitions":)", transitions, "}}");
}

constexpr char kNotFound[] = R"({"kind":"Status","reason":"NotFound"})";
constexpr char kConflict[] = R"({"kind":"Status","reason":"Conflict"})";

class LeaseTest : public testing::Test {
 protected:
  // Answers a write with what was written, and the version.
  void AcceptWrite(int version) {
    transport_.ReplyWith([version](const http::Request& request, const http::BodySink&) -> absl::StatusOr<http::Response> {
      const size_t metadata = request.body.find("\"metadata\":{") + 12;
      std::string body = request.body;
      if (const size_t old = body.find("\"resourceVersion\":"); old != std::string::npos) {
        body.erase(old - 1, body.find('}', old) - old + 1);
      }
      return http::Response{.status = 200,
                            .body = body.insert(metadata, absl::StrCat(R"("resourceVersion":")", version, R"(",)"))};
    });
  }

  void Hold() {
    transport_.Reply(404, kNotFound);
    AcceptWrite(1);
    const auto ours = lease_.Try({});
    ASSERT_TRUE(ours.ok()) << ours.status();
    ASSERT_TRUE(*ours);
  }

  test::FakeTransport transport_;
  test::FakeClock clock_;
  Client client_{transport_, "tester"};
  std::vector<std::string> problems_;
  Lease::ProblemSink on_problem_ = [this](const absl::Status& problem) { problems_.push_back(problem.ToString()); };
  Lease lease_{client_, clock_, {.key = {"n", "leader"}, .identity = "me"}};
};

TEST_F(LeaseTest, IsMadeWhenMissing) {
  EXPECT_FALSE(lease_.held());
  Hold();
  EXPECT_TRUE(lease_.held());
  const http::Request create = transport_.requests()[1];
  EXPECT_EQ(create.method, "POST");
  EXPECT_THAT(create.target, HasSubstr("/apis/coordination.k8s.io/v1/namespaces/n/leases?"));
  EXPECT_EQ(create.body,
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"namespace":"n","name":"leader"},)"
            R"("spec":{"holderIdentity":"me","acquireTime":"2027-01-15T08:00:00.000000Z",)"
            R"("renewTime":"2027-01-15T08:00:00.000000Z","leaseDurationSeconds":60,"leaseTransitions":0}})");
}

TEST_F(LeaseTest, OnlyOneMakesIt) {
  transport_.Reply(404, kNotFound);
  transport_.Reply(409, R"({"kind":"Status","reason":"AlreadyExists"})");
  EXPECT_FALSE(*lease_.Try({}));
  EXPECT_FALSE(lease_.held());
}

TEST_F(LeaseTest, IsRenewed) {
  Hold();
  clock_.Advance(absl::Seconds(40));
  transport_.Reply(200, Stored("me", "2027-01-15T08:00:00.000000Z", 1));
  AcceptWrite(2);
  EXPECT_TRUE(*lease_.Try({}));
  EXPECT_THAT(transport_.requests().back().body, HasSubstr(R"("resourceVersion":"1")"));
  EXPECT_THAT(transport_.requests().back().body, HasSubstr(R"("leaseTransitions":0)"));
  clock_.Advance(absl::Seconds(49));
  EXPECT_TRUE(lease_.held());
  clock_.Advance(absl::Seconds(2));
  EXPECT_FALSE(lease_.held()) << "not renewed for longer than the deadline";
}

TEST_F(LeaseTest, AnothersIsTakenOnlyAfterItStoodStillByOurClock) {
  // Long past by its own clock, which says nothing.
  transport_.Reply(200, Stored("other", "2020-01-01T00:00:00.000000Z"));
  EXPECT_FALSE(*lease_.Try({}));
  EXPECT_EQ(lease_.holder(), "other");
  clock_.Advance(absl::Seconds(14));
  transport_.Reply(200, Stored("other", "2020-01-01T00:00:09.000000Z", 2));
  EXPECT_FALSE(*lease_.Try({}));
  clock_.Advance(absl::Seconds(14));
  transport_.Reply(200, Stored("other", "2020-01-01T00:00:09.000000Z", 2));
  EXPECT_FALSE(*lease_.Try({}));
  clock_.Advance(absl::Seconds(2));
  transport_.Reply(200, Stored("other", "2020-01-01T00:00:09.000000Z", 2, 4));
  AcceptWrite(3);
  EXPECT_TRUE(*lease_.Try({}));
  EXPECT_THAT(transport_.requests().back().body, HasSubstr(R"("leaseTransitions":5)"));
  EXPECT_TRUE(lease_.held());
}

TEST_F(LeaseTest, AReleasedOneIsTakenAtOnce) {
  transport_.Reply(200, Stored("", "2020-01-01T00:00:00.000000Z"));
  AcceptWrite(2);
  EXPECT_TRUE(*lease_.Try({}));
}

TEST_F(LeaseTest, WhoWritesFirstWins) {
  transport_.Reply(200, Stored("", "2020-01-01T00:00:00.000000Z"));
  transport_.Reply(409, kConflict);
  EXPECT_FALSE(*lease_.Try({}));
  EXPECT_FALSE(lease_.held());
}

TEST_F(LeaseTest, AcquireTriesUntilItIsOurs) {
  transport_.ReplyError(absl::UnavailableError("refused"));
  const std::stop_source stop;
  bool acquired = false;
  std::jthread thread([&] { acquired = lease_.Acquire(on_problem_, stop.get_token()); });
  clock_.AwaitWaiters(1);
  transport_.Reply(404, kNotFound);
  AcceptWrite(1);
  clock_.Advance(absl::Seconds(2));
  thread.join();
  EXPECT_TRUE(acquired);
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("refused")));
  EXPECT_FALSE(lease_.Acquire(on_problem_, [] {
    const std::stop_source stopped;
    stopped.request_stop();
    return stopped.get_token();
  }()));
}

TEST_F(LeaseTest, HoldEndsWhenAnotherHasIt) {
  Hold();
  transport_.Reply(200, Stored("other", "2027-01-15T08:00:05.000000Z"));
  absl::Status end;
  std::jthread thread([&](const std::stop_token& stop) { end = lease_.Hold(on_problem_, stop); });
  clock_.AwaitWaiters(1);
  clock_.Advance(absl::Seconds(10));
  thread.join();
  EXPECT_TRUE(absl::IsAborted(end)) << end;
  EXPECT_THAT(end.message(), HasSubstr("held by other"));
}

TEST_F(LeaseTest, HoldEndsWhenItCannotRenewInTime) {
  Hold();
  absl::Status end;
  std::jthread thread([&](const std::stop_token& stop) { end = lease_.Hold(on_problem_, stop); });
  // 10 s, then every 2 s until 50 s have passed.
  for (size_t i = 0; i < 21; ++i) {
    transport_.ReplyError(absl::UnavailableError("refused"));
    clock_.AwaitWaiters(1);
    clock_.Advance(i == 0 ? absl::Seconds(10) : absl::Seconds(2));
    transport_.AwaitRequests(3 + i);
  }
  thread.join();
  EXPECT_TRUE(absl::IsDeadlineExceeded(end)) << end;
  EXPECT_EQ(problems_.size(), 21);
}

TEST_F(LeaseTest, HoldEndsWhenStopped) {
  Hold();
  absl::Status end = absl::UnknownError("");
  std::jthread thread([&](const std::stop_token& stop) { end = lease_.Hold(on_problem_, stop); });
  clock_.AwaitWaiters(1);
  thread.request_stop();
  thread.join();
  EXPECT_TRUE(end.ok()) << end;
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(LeaseTest, ReleaseLeavesNoHolder) {
  EXPECT_TRUE(lease_.Release().ok());
  EXPECT_THAT(transport_.requests(), IsEmpty());
  Hold();
  AcceptWrite(2);
  EXPECT_TRUE(lease_.Release().ok());
  EXPECT_EQ(transport_.requests().back().method, "PUT");
  EXPECT_THAT(transport_.requests().back().body, HasSubstr(R"("holderIdentity":"")"));
  EXPECT_FALSE(lease_.held());
}

}  // namespace
}  // namespace kupen::kube
