// Servers of the real Nova: it takes what our kind says.
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "apis/registry/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/clock.h"
#include "provider/json/json.h"
#include "provider/kinds/compute/virtual_machine.h"
#include "provider/managed/kind.h"
#include "provider/openstack/transports.h"
#include "test/e2e/openstack/real_cloud.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RealMachines : public RealOpenStack {
 protected:
  // The id of the first object of a list that has the name; of any, if there is none to ask for.
  std::string Find(const std::string& service, const std::string& path, const std::string& list, absl::string_view name = "") {
    std::string id;
    EXPECT_EQ(absl::OkStatus(), openstack::Rest(demo_, {.service = service, .path = path, .list_key = list, .page_size = 0})
                                    .List({},
                                          [&](const rapidjson::Value& item) {
                                            if (id.empty() && (name.empty() || json::String(item, {"name"}) == name)) {
                                              id = std::string(json::String(item, {"id"}));
                                            }
                                            return absl::OkStatus();
                                          },
                                          {}));
    EXPECT_NE(id, "") << path << " " << name;
    return id;
  }

  std::string Post(const std::string& service, const std::string& path, const std::string& envelope, const std::string& body) {
    absl::StatusOr<rapidjson::Document> made =
        openstack::Rest(demo_, {.service = service, .path = path, .item_key = envelope}).Create(Json(body), {});
    EXPECT_EQ(absl::OkStatus(), made.status());
    if (!made.ok()) return "";
    std::string id(json::String(*made, {"id"}));
    CleanUp(demo_, service, absl::StrCat(path, "/", id));
    return id;
  }

  // Creates a machine as the reconciler does, and waits until it runs.
  absl::StatusOr<rapidjson::Document> Boot(const std::string& parameters) {
    const rapidjson::Document given = Json(parameters);
    rapidjson::Document memory;
    managed::CreateRequest request{.object = schema::EncodeForCreate(kind_.plan.parameters, given, memory.GetAllocator()),
                                   .beside = rapidjson::Value(rapidjson::kObjectType),
                                   .secrets = {}};
    const managed::HookContext context{.session = session_,
                                       .key = key_,
                                       .uid = text_,
                                       .operation_id = text_,
                                       .read_secret = read_secret_,
                                       .wake = wake_,
                                       .stop = stop_};
    RETURN_IF_ERROR(kind_.hooks->PrepareCreate(context, given, request, memory.GetAllocator()));
    ASSIGN_OR_RETURN(const rapidjson::Document made,
                     machines_.Create(request.object, {}, {.secrets = request.secrets, .beside = &request.beside}));
    const std::string id(json::String(made, {"id"}));
    rapidjson::Document machine;
    RETURN_IF_ERROR(Eventually(absl::Seconds(90), [&]() -> absl::Status {
      ASSIGN_OR_RETURN(machine, machines_.Get(id, {}));
      return Contains(absl::StrCat("status=", json::String(machine, {"status"})), "status=ACTIVE");
    }));
    return machine;
  }

  // With all that it needs of others gone only after it.
  void Delete(const rapidjson::Document& machine) {
    const std::string id(json::String(machine, {"id"}));
    ASSERT_OK(machines_.Delete(id, {}));
    ASSERT_OK(Eventually(absl::Seconds(60), [&] {
      const absl::Status status = machines_.Get(id, {}).status();
      return absl::IsNotFound(status) ? absl::OkStatus() : absl::UnavailableError("still there");
    }));
  }

  rapidjson::Document Observe(const rapidjson::Document& machine) {
    rapidjson::Document observation(rapidjson::kObjectType);
    kind_.hooks->Observe(machine, observation, observation.GetAllocator());
    return observation;
  }

  const std::shared_ptr<openstack::Session> session_ =
      std::make_shared<openstack::Session>(RealCloud("demo"), openstack::HttpTransports(), SystemClock());
  const kube::ObjectKey key_{.ns = "team", .name = "machine"};
  const std::string text_;
  const std::function<absl::StatusOr<std::string>(const std::string&, const std::string&)> read_secret_ =
      [](const std::string&, const std::string&) { return "#cloud-config\n# secret-marker"; };
  const std::function<void()> wake_;
  const std::stop_token stop_;
  managed::ManagedKind kind_ = [] {
    managed::ManagedKind kind(*apis::Registry().Find("compute.VirtualMachine"));
    kind.hooks = std::make_unique<kinds::VirtualMachineHooks>();
    return kind;
  }();
  openstack::Rest machines_{demo_, kind_.rest};
  const std::string flavor_ = Find("compute", "/flavors", "flavors", "m1.tiny");
  const std::string image_ = Find("image", "/images", "images", "cirros");
  const std::string network_ =
      absl::StrCat(R"("networks": [{"networkID": ")", Find("network", "/networks", "networks", "private"), R"("}])");
};

TEST_F(RealMachines, WithAllThatCanBeSaid) {
  const std::string network =
      Post("network", "/networks", "network", absl::StrCat(R"({"name": ")", ScratchName("net"), R"("})"));
  Post("network", "/subnets", "subnet",
       absl::StrCat(R"({"network_id": ")", network, R"(", "ip_version": 4, "cidr": "10.99.0.0/24"})"));
  const std::string second = Post("network", "/networks", "network", R"({"name": "a-second"})");
  Post("network", "/subnets", "subnet",
       absl::StrCat(R"({"network_id": ")", second, R"(", "ip_version": 4, "cidr": "10.98.0.0/24"})"));
  const std::string port = Post("network", "/ports", "port", absl::StrCat(R"({"network_id": ")", second, R"("})"));
  const std::string group = Post("network", "/security-groups", "security_group", R"({"name": "scratch"})");
  const std::string servers =
      Post("compute", "/os-server-groups", "server_group", R"({"name": "scratch", "policies": ["anti-affinity"]})");

  ASSERT_OK_AND_ASSIGN(
      const rapidjson::Document machine,
      Boot(absl::StrCat(R"({"name": "scratch", "description": "ä", "flavorID": ")", flavor_, R"(", "imageID": ")", image_,
                        R"(", "networks": [{"networkID": ")", network, R"(", "fixedIP": "10.99.0.77"}, {"portID": ")", port,
                        R"("}], "securityGroupIDs": [")", group, R"("], "serverGroupID": ")", servers,
                        R"(", "userDataSecretRef": {"name": "s", "key": "k"}, "metadata": {"a": "b"}, "tags": ["red"],
                        "configDrive": true})")));
  const rapidjson::Document seen = Observe(machine);
  EXPECT_EQ(json::String(seen, {"state"}), "Running");
  EXPECT_THAT(std::string(json::String(seen, {"networks"})), HasSubstr("(10.99.0.77)"));
  EXPECT_THAT(std::string(json::String(seen, {"networks"})), HasSubstr("a-second(10.98.0."));
  EXPECT_EQ(json::Array(seen, {"addresses"}).Size(), 2U);
  EXPECT_EQ(json::String(machine, {"metadata", "a"}), "b");
  EXPECT_EQ(json::Write(*json::Find(machine, {"tags"})), R"(["red"])");
  EXPECT_EQ(json::Write(*json::Find(machine, {"server_groups"})), absl::StrCat(R"([")", servers, R"("])"));
  EXPECT_EQ(json::String(machine, {"config_drive"}), "True");
  EXPECT_THAT(json::Write(*json::Find(machine, {"security_groups"})), HasSubstr("scratch"));
  EXPECT_FALSE(kind_.hooks->Address(machine).empty());
  Delete(machine);
}

TEST_F(RealMachines, RefusalsDoNotRepeatUserData) {
  const absl::Status refused = Boot(absl::StrCat(R"({"name": "scratch", "flavorID": "none", "imageID": ")", image_,
                                                 R"(", "userDataSecretRef": {"name": "s", "key": "k"}})"))
                                   .status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), Not(HasSubstr("marker")));
}

class RealVolumes : public RealMachines {
 protected:
  void ExpectVolume(const rapidjson::Document& machine, int64_t size) {
    const rapidjson::Document seen = Observe(machine);
    ASSERT_EQ(json::Array(seen, {"volumeIDs"}).Size(), 1U);
    const std::string volume(json::String(json::Array(seen, {"volumeIDs"})[0]));
    EXPECT_EQ(json::String(seen, {"imageID"}), "");
    ASSERT_OK_AND_ASSIGN(const http::Response response,
                         demo_.Send({.service = "block-storage", .path = "/volumes/" + volume}, {}));
    const rapidjson::Document shown = Json(response.body);
    EXPECT_EQ(json::Find(shown, {"volume", "size"})->GetInt64(), size);
    EXPECT_EQ(json::String(shown, {"volume", "status"}), "in-use");
  }
};

TEST_F(RealVolumes, ANewVolumeMadeOfTheImage) {
  const std::string type = Find("block-storage", "/types", "volume_types");
  ASSERT_OK_AND_ASSIGN(
      const rapidjson::Document machine,
      Boot(absl::StrCat(R"({"name": "scratch", "flavorID": ")", flavor_, R"(", "imageID": ")", image_, R"(", )", network_,
                        R"(, "bootVolume": {"size": 2, "deleteOnTermination": true, "volumeTypeID": ")", type, R"("}})")));
  ExpectVolume(machine, 2);
  Delete(machine);
}

TEST_F(RealVolumes, AnExistingVolume) {
  const std::string volume =
      Post("block-storage", "/volumes", "volume", absl::StrCat(R"({"size": 1, "imageRef": ")", image_, R"("})"));
  ASSERT_OK(Eventually(absl::Seconds(60), [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const http::Response response, demo_.Send({.service = "block-storage", .path = "/volumes/" + volume}, {}));
    return Contains(response.body, R"("status": "available")");
  }));
  ASSERT_OK_AND_ASSIGN(const rapidjson::Document machine,
                       Boot(absl::StrCat(R"({"name": "scratch", "flavorID": ")", flavor_, R"(", )", network_,
                                         R"(, "bootVolume": {"volumeID": ")", volume, R"("}})")));
  ExpectVolume(machine, 1);
  Delete(machine);
  ASSERT_OK(Eventually(absl::Seconds(60), [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const http::Response response, demo_.Send({.service = "block-storage", .path = "/volumes/" + volume}, {}));
    return Contains(response.body, R"("status": "available")");
  })) << "the volume outlives the machine";
}

}  // namespace
}  // namespace kupen::test
