#include "provider/managed/cloud_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "apis/registry/registry.h"
#include "provider/json/json.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/managed/fake_service.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The token's project is p1.
class CloudSearch : public testing::Test {
 protected:
  CloudSearch() {
    cloud_.Serve([this](const http::Request& request) { return service_.Handle(request); });
  }

  absl::StatusOr<std::string> NetworkNamed(const std::string& name) {
    return managed::FindByName(session(), network_.rest, name, {});
  }
  absl::StatusOr<std::string> ImageNamed(const std::string& name) {
    return managed::FindByName(session(), image_.rest, name, {});
  }
  absl::StatusOr<std::string> NetworkWith(const std::string& parameters) {
    return managed::FindByParameters(session(), network_, *json::Parse(parameters), {});
  }
  void PutNetwork(const std::string& id, const std::string& members) {
    service_.Put("networks", id, absl::StrCat("{", members, "}"));
  }
  void PutImage(const std::string& id, const std::string& members) {
    service_.Put("images", id, absl::StrCat(R"({"name":"linux",)", members, "}"));
  }
  // Made at its first use, so that a test can say first what the token is good for.
  openstack::Session& session() {
    if (session_ == nullptr) session_ = std::make_unique<openstack::Session>(cloud_.config(), cloud_.transports(), clock_);
    return *session_;
  }

  const managed::ManagedKind network_{*apis::Registry().Find("network.Network")};
  const managed::ManagedKind image_{*apis::Registry().Find("image.Image")};
  FakeClock clock_;
  FakeCloud cloud_;
  FakeService service_;
  std::unique_ptr<openstack::Session> session_;
};

TEST_F(CloudSearch, TakesTheExactName) {
  PutNetwork("n-1", R"("name":"blue","project_id":"p1")");
  PutNetwork("n-2", R"("name":"blue2","project_id":"p1")");
  EXPECT_EQ(*NetworkNamed("blue"), "n-1");
  EXPECT_EQ(NetworkNamed("green").status().message(), "neutron: nothing among networks has the name green");
  EXPECT_TRUE(absl::IsNotFound(NetworkNamed("green").status()));
}

TEST_F(CloudSearch, NamesTwoThatHaveTheName) {
  PutNetwork("n-1", R"("name":"blue","project_id":"p1")");
  PutNetwork("n-2", R"("name":"blue","project_id":"p1")");
  const absl::Status problem = NetworkNamed("blue").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(problem));
  EXPECT_THAT(std::string(problem.message()), AllOf(HasSubstr("n-1 and n-2"), HasSubstr("give the id instead")));
}

TEST_F(CloudSearch, LeavesOtherProjectsOut) {
  PutNetwork("n-1", R"("name":"blue","project_id":"p1")");
  PutNetwork("n-2", R"("name":"blue","project_id":"p2")");
  PutNetwork("n-3", R"("name":"theirs","project_id":"p2")");
  EXPECT_EQ(*NetworkNamed("blue"), "n-1");
  EXPECT_TRUE(absl::IsNotFound(NetworkNamed("theirs").status()));
}

TEST_F(CloudSearch, TakesWhatOtherProjectsShare) {
  PutNetwork("n-1", R"("name":"lent","project_id":"p2","shared":true)");
  PutNetwork("n-2", R"("name":"public","project_id":"p2","router:external":true)");
  PutImage("i-1", R"("owner":"p2","visibility":"public")");
  EXPECT_EQ(*NetworkNamed("lent"), "n-1");
  EXPECT_EQ(*NetworkNamed("public"), "n-2");
  EXPECT_EQ(*ImageNamed("linux"), "i-1");
}

TEST_F(CloudSearch, ToAnAdministratorASharedImageOfOthersIsTheirs) {
  PutImage("i-1", R"("owner":"p1","visibility":"shared")");
  PutImage("i-2", R"("owner":"p2","visibility":"shared")");
  EXPECT_EQ(*ImageNamed("linux"), "i-1");
}

TEST_F(CloudSearch, ToAMemberASharedImageOfOthersIsUsable) {
  cloud_.set_roles(R"([{"name": "member"}])");
  PutImage("i-2", R"("owner":"p2","visibility":"shared")");
  EXPECT_EQ(*ImageNamed("linux"), "i-2");
}

TEST_F(CloudSearch, FindsByAllParametersThatAreSet) {
  PutNetwork("n-1", R"("name":"blue","mtu":1400,"project_id":"p1")");
  PutNetwork("n-2", R"("name":"blue","mtu":1500,"project_id":"p1")");
  PutNetwork("n-3", R"("name":"blue","mtu":1500,"project_id":"p2")");
  EXPECT_EQ(*NetworkWith(R"({"name":"blue","mtu":1500})"), "n-2");
  EXPECT_TRUE(absl::IsFailedPrecondition(NetworkWith(R"({"name":"blue"})").status()));
}

TEST_F(CloudSearch, AMarkerIsNoPartOfADescription) {
  PutNetwork("n-1", R"("description":"mine [kupen:c1057e40:00000000-0000-4000-8000-000000000001]","project_id":"p1")");
  EXPECT_EQ(*NetworkWith(R"({"description":"mine"})"), "n-1");
}

TEST_F(CloudSearch, WithoutParametersNothingIsMeant) {
  PutNetwork("n-1", R"("name":"blue","project_id":"p1")");
  EXPECT_THAT(std::string(NetworkWith("{}").status().message()), HasSubstr("crossplane.io/external-name"));
}

}  // namespace
}  // namespace kupen::test
