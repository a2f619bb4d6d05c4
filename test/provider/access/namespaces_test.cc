#include "provider/access/namespaces.h"

#include <condition_variable>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/fake_transport.h"

namespace kupen::access {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Line(absl::string_view type, absl::string_view name, absl::string_view labels) {
  return absl::StrCat(R"({"type":")", type, R"(","object":{"metadata":{"resourceVersion":"1","name":")", name,
                      R"(","labels":{)", labels, "}}}}\n");
}

constexpr char kEnd[] =
    R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"2","annotations":{"k8s.io/initial-events-end":"true"}}}})"
    "\n";

class NamespacesTest : public testing::Test {
 protected:
  void AwaitChanges(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return changes_ >= count; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int changes_ = 0;
  test::FakeTransport transport_;
  test::FakeClock clock_;
  kube::Client client_{transport_, "tester"};
  Namespaces namespaces_{client_, clock_, [this] {
                           const std::lock_guard guard(mutex_);
                           ++changes_;
                           changed_.notify_all();
                         }};
};

TEST_F(NamespacesTest, AreNotReadBeforeSomebodyAsks) {
  EXPECT_TRUE(transport_.requests().empty());
  EXPECT_TRUE(absl::IsUnavailable(namespaces_.WithLabels({{"x", "y"}}).status()));
  transport_.AwaitRequests(1);
  EXPECT_THAT(transport_.requests()[0].target, HasSubstr("/api/v1/namespaces?watch=true"));
  EXPECT_THAT(std::string(http::Find(transport_.requests()[0].headers, "Accept")), HasSubstr("PartialObjectMetadata"));
}

TEST_F(NamespacesTest, AreFoundByAllLabels) {
  transport_.ReplyStream({Line("ADDED", "a", R"("x":"1","y":"2")"), Line("ADDED", "b", R"("x":"1")"),
                          Line("ADDED", "c", R"("x":"1","y":"")"), kEnd});
  namespaces_.WithLabels({}).IgnoreError();
  AwaitChanges(1);
  EXPECT_THAT(*namespaces_.WithLabels({{"x", "1"}}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(*namespaces_.WithLabels({{"x", "1"}, {"y", "2"}}), ElementsAre("a"));
  EXPECT_THAT(*namespaces_.WithLabels({{"y", ""}}), ElementsAre("c")) << "no label is not an empty one";
}

TEST_F(NamespacesTest, ChangesAreTold) {
  transport_.ReplyStream({Line("ADDED", "a", R"("x":"1")"), kEnd, Line("ADDED", "b", R"("x":"1")")});
  namespaces_.WithLabels({}).IgnoreError();
  AwaitChanges(2);
  EXPECT_THAT(*namespaces_.WithLabels({{"x", "1"}}), ElementsAre("a", "b"));
}

TEST_F(NamespacesTest, AMissingRightIsToldOnceWithTheWayOut) {
  for (int i = 0; i < 2; ++i)
    transport_.Reply(403, R"({"kind":"Status","reason":"Forbidden","message":"namespaces is forbidden"})");
  namespaces_.WithLabels({}).IgnoreError();
  AwaitChanges(1);
  clock_.AwaitWaiters(1);
  clock_.Advance(absl::Minutes(1));
  transport_.AwaitRequests(2);
  clock_.AwaitWaiters(1);
  const absl::Status status = namespaces_.WithLabels({{"x", "1"}}).status();
  EXPECT_TRUE(absl::IsPermissionDenied(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("the right to list and watch namespaces"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("kubectl apply -f install/"));
  EXPECT_EQ(changes_, 1);
}

}  // namespace
}  // namespace kupen::access
