#include "provider/cmd/cluster_id.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "provider/kube/client.h"
#include "test/fakes/fake_transport.h"

namespace kupen::cmd {
namespace {

constexpr char kNotFound[] = R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})";
constexpr char kExists[] = R"({"kind":"Status","status":"Failure","reason":"AlreadyExists","code":409})";

class ClusterIdTest : public testing::Test {
 protected:
  absl::StatusOr<std::string> Find() { return FindOrMakeClusterId(client_, "crossplane-system", {}); }

  test::FakeTransport transport_;
  kube::Client client_{transport_, "test"};
};

TEST_F(ClusterIdTest, IsReadIfItIsThere) {
  transport_.Reply(200, R"({"data":{"id":"one"}})");
  EXPECT_EQ(*Find(), "one");
  ASSERT_EQ(transport_.requests().size(), 1u);
  EXPECT_EQ(transport_.requests()[0].target, "/api/v1/namespaces/crossplane-system/configmaps/kupenstack-cluster");
}

TEST_F(ClusterIdTest, IsMadeByTheFirst) {
  transport_.Reply(404, kNotFound);
  transport_.ReplyWith([](const http::Request& request, const http::BodySink&) -> absl::StatusOr<http::Response> {
    return http::Response{.status = 201, .body = request.body};
  });
  const absl::StatusOr<std::string> id = Find();
  ASSERT_TRUE(id.ok()) << id.status();
  EXPECT_EQ(id->size(), 36u);
  EXPECT_EQ(transport_.requests()[1].method, "POST");
  EXPECT_EQ(json::String(*json::Parse(transport_.requests()[1].body), {"data", "id"}), *id);
}

TEST_F(ClusterIdTest, IsThatOfTheQuickerOfTwo) {
  transport_.Reply(404, kNotFound);
  transport_.Reply(409, kExists);
  transport_.Reply(200, R"({"data":{"id":"theirs"}})");
  EXPECT_EQ(*Find(), "theirs");
}

TEST_F(ClusterIdTest, IsNotMadeAnewWhenItWasLost) {
  transport_.Reply(200, R"({"data":{}})");
  const absl::Status status = Find().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("ConfigMap crossplane-system/kupenstack-cluster has no data.id"));
}

TEST_F(ClusterIdTest, IsNotMadeWhenTheAnswerIsNotKnown) {
  transport_.ReplyError(absl::UnavailableError("refused"));
  EXPECT_TRUE(absl::IsUnavailable(Find().status()));
  EXPECT_EQ(transport_.requests().size(), 1u);
}

}  // namespace
}  // namespace kupen::cmd
