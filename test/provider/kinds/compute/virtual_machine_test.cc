#include "provider/kinds/compute/virtual_machine.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "provider/openstack/session.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::kinds {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class VirtualMachineTest : public testing::Test {
 protected:
  VirtualMachineTest() {
    cloud_.Serve([this](const http::Request&) {
      return http::Response{.status = 200,
                            .body = absl::StrCat(R"({"version": {"min_version": "2.1", "version": ")", newest_, R"("}})")};
    });
  }

  // What is added to {"flavorRef": "f", "imageRef": "i"}, or the error.
  std::string Prepare(absl::string_view parameters) {
    request_ = {
        .object = rapidjson::Value(rapidjson::kObjectType), .beside = rapidjson::Value(rapidjson::kObjectType), .secrets = {}};
    json::Set(request_.object, "imageRef", "i", memory_.GetAllocator());
    const managed::HookContext context{.session = session_,
                                       .key = key_,
                                       .uid = uid_,
                                       .operation_id = operation_,
                                       .read_secret = read_secret_,
                                       .wake = wake_,
                                       .stop = stop_};
    const absl::Status status = hooks_.PrepareCreate(context, *json::Parse(parameters), request_, memory_.GetAllocator());
    return status.ok() ? json::Write(request_.object) : status.ToString();
  }

  std::string Observe(absl::string_view object) {
    rapidjson::Document observation(rapidjson::kObjectType);
    hooks_.Observe(*json::Parse(object), observation, observation.GetAllocator());
    return json::Write(observation);
  }

  std::string newest_ = "2.93";
  test::FakeClock clock_;
  test::FakeCloud cloud_;
  std::shared_ptr<openstack::Session> session_ =
      std::make_shared<openstack::Session>(cloud_.config(), cloud_.transports(), clock_);
  const kube::ObjectKey key_{.ns = "team", .name = "vm"};
  const std::string uid_ = "uid";
  const std::string operation_ = "req-1";
  std::map<std::string, std::string> secrets_ = {{"cloud-init/script", "#!/bin/sh\necho secret-marker"}};
  const std::function<absl::StatusOr<std::string>(const std::string&, const std::string&)> read_secret_ =
      [this](const std::string& name, const std::string& key) -> absl::StatusOr<std::string> {
    const auto found = secrets_.find(absl::StrCat(name, "/", key));
    if (found == secrets_.end()) return absl::NotFoundError(absl::StrCat("no key ", key, " in Secret ", name));
    return found->second;
  };
  const std::function<void()> wake_ = [] {};
  const std::stop_token stop_;
  rapidjson::Document memory_;
  managed::CreateRequest request_;
  VirtualMachineHooks hooks_;
};

TEST_F(VirtualMachineTest, WithoutNetworksTheCloudPicksOne) {
  EXPECT_EQ(Prepare("{}"), R"({"imageRef":"i","networks":"auto"})");
  EXPECT_EQ(Prepare(R"({"networks": []})"), R"({"imageRef":"i","networks":"auto"})");
  EXPECT_TRUE(request_.beside.ObjectEmpty());
  EXPECT_THAT(request_.secrets, IsEmpty());
  EXPECT_THAT(cloud_.requests(), IsEmpty()) << "nothing to ask the cloud";
}

TEST_F(VirtualMachineTest, NetworksKeepTheirOrder) {
  EXPECT_EQ(Prepare(R"({"networks": [{"networkID": "n2", "fixedIP": "10.0.0.9", "networkRef": {"name": "blue"}},
                                     {"portID": "p1"}, {"networkID": "n1"}]})"),
            R"({"imageRef":"i","networks":[{"uuid":"n2","fixed_ip":"10.0.0.9"},{"port":"p1"},{"uuid":"n1"}]})");
}

TEST_F(VirtualMachineTest, SecurityGroupsGoByIdAndHintsBeside) {
  EXPECT_EQ(Prepare(R"({"securityGroupIDs": ["g1", "g2"], "serverGroupID": "sg"})"),
            R"({"imageRef":"i","networks":"auto","security_groups":[{"name":"g1"},{"name":"g2"}]})");
  EXPECT_EQ(json::Write(request_.beside), R"({"os:scheduler_hints":{"group":"sg"}})");
}

TEST_F(VirtualMachineTest, BootsFromAnExistingVolume) {
  EXPECT_EQ(Prepare(R"({"bootVolume": {"volumeID": "v", "deleteOnTermination": false}})"),
            R"({"networks":"auto","block_device_mapping_v2":[{"boot_index":0,"destination_type":"volume",)"
            R"("source_type":"volume","uuid":"v","delete_on_termination":false}]})");
}

TEST_F(VirtualMachineTest, BootsFromANewVolumeMadeOfTheImage) {
  EXPECT_EQ(Prepare(R"({"imageID": "i", "bootVolume": {"size": 20, "deleteOnTermination": true, "volumeTypeID": "t"}})"),
            R"({"networks":"auto","block_device_mapping_v2":[{"boot_index":0,"destination_type":"volume",)"
            R"("source_type":"image","uuid":"i","volume_size":20,"volume_type":"t","delete_on_termination":true}]})");
  EXPECT_THAT(Prepare(R"({"bootVolume": {"size": 20}})"),
              AllOf(HasSubstr("INVALID_ARGUMENT: bootVolume: a new volume needs a size and an image")));
}

TEST_F(VirtualMachineTest, VolumeTypeNeedsANovaThatKnowsIt) {
  const std::string with_type = R"({"imageID": "i", "bootVolume": {"size": 20, "volumeTypeID": "t"}})";
  newest_ = "2.66";
  EXPECT_THAT(Prepare(with_type),
              HasSubstr("bootVolume.volumeTypeID needs microversion 2.67 of nova, but this cloud's is 2.66"));
  EXPECT_THAT(Prepare(R"({"imageID": "i", "bootVolume": {"size": 20}})"), HasSubstr("volume_size"));

  newest_ = "2.93";
  openstack::Cloud limited = cloud_.config();
  limited.services["compute"].microversion = "2.60";
  session_ = std::make_shared<openstack::Session>(limited, cloud_.transports(), clock_);
  EXPECT_THAT(Prepare(with_type), HasSubstr("but this cloud's is 2.60")) << "the user's own limit counts, too";
}

TEST_F(VirtualMachineTest, UserDataIsEncodedAndSecret) {
  EXPECT_EQ(Prepare(R"({"userData": "#cloud-config\n"})"),
            R"({"imageRef":"i","networks":"auto","user_data":"I2Nsb3VkLWNvbmZpZwo="})");
  EXPECT_THAT(request_.secrets, ElementsAre("#cloud-config\n", "I2Nsb3VkLWNvbmZpZwo="));
}

TEST_F(VirtualMachineTest, UserDataFromASecret) {
  const std::string encoded = absl::Base64Escape(secrets_["cloud-init/script"]);
  EXPECT_THAT(Prepare(R"({"userDataSecretRef": {"name": "cloud-init", "key": "script"}})"), HasSubstr(encoded));
  EXPECT_THAT(request_.secrets, ElementsAre(HasSubstr("secret-marker"), encoded));
  EXPECT_EQ(Prepare(R"({"userDataSecretRef": {"name": "cloud-init", "key": "other"}})"),
            "NOT_FOUND: userDataSecretRef: no key other in Secret cloud-init");
}

TEST_F(VirtualMachineTest, UserDataHasALimit) {
  secrets_["big/x"] = std::string(49'149, 'x');
  EXPECT_THAT(Prepare(R"({"userDataSecretRef": {"name": "big", "key": "x"}})"), HasSubstr("user_data"));
  EXPECT_LE(json::String(request_.object, {"user_data"}).size(), 65'535U);
  secrets_["big/x"] += "x";
  EXPECT_THAT(Prepare(R"({"userDataSecretRef": {"name": "big", "key": "x"}})"),
              AllOf(HasSubstr("INVALID_ARGUMENT: userDataSecretRef has 49150 bytes, but nova takes at most 49149"),
                    Not(HasSubstr("xxxx"))));
}

TEST_F(VirtualMachineTest, StatesInPlainWords) {
  const std::map<std::string, std::string> words = {
      {"ACTIVE", "Running"},        {"BUILD", "Building"},  {"SHUTOFF", "Stopped"},           {"ERROR", "Failed"},
      {"PAUSED", "Paused"},         {"RESCUE", "Rescued"},  {"SHELVED_OFFLOADED", "Shelved"}, {"SOFT_DELETED", "Deleted"},
      {"VERIFY_RESIZE", "Resized"}, {"RESIZE", "Resizing"}, {"MIGRATING", "Migrating"},       {"SOMETHING_NEW", "Unknown"}};
  for (const auto& [status, word] : words) {
    EXPECT_EQ(Observe(absl::StrCat(R"({"status": ")", status, R"("})")), absl::StrCat(R"({"state":")", word, R"("})"));
  }
}

constexpr char kServer[] = R"({"status": "ACTIVE", "addresses": {
    "green": [{"addr": "fd00::5", "version": 6, "OS-EXT-IPS:type": "fixed"},
              {"addr": "10.20.0.4", "version": 4, "OS-EXT-IPS-MAC:mac_addr": "fa:16:3e:00:00:02", "OS-EXT-IPS:type": "fixed"}],
    "blue": [{"addr": "203.0.113.5", "version": 4, "OS-EXT-IPS-MAC:mac_addr": "fa:16:3e:00:00:01", "OS-EXT-IPS:type": "floating"},
             {"addr": "10.10.0.7", "version": 4, "OS-EXT-IPS-MAC:mac_addr": "fa:16:3e:00:00:01", "OS-EXT-IPS:type": "fixed"}],
    "empty": []},
  "os-extended-volumes:volumes_attached": [{"id": "v2"}, {"id": "v1", "delete_on_termination": true}]})";

TEST_F(VirtualMachineTest, AddressesAndVolumesInOneOrder) {
  const rapidjson::Document seen = *json::Parse(Observe(kServer));
  EXPECT_EQ(json::String(seen, {"networks"}), "blue(10.10.0.7,203.0.113.5) green(10.20.0.4,fd00::5)");
  EXPECT_EQ(json::Write(*json::Find(seen, {"addresses"})),
            R"([{"network":"blue","ip":"10.10.0.7","mac":"fa:16:3e:00:00:01","type":"fixed"},)"
            R"({"network":"blue","ip":"203.0.113.5","mac":"fa:16:3e:00:00:01","type":"floating"},)"
            R"({"network":"green","ip":"10.20.0.4","mac":"fa:16:3e:00:00:02","type":"fixed"},)"
            R"({"network":"green","ip":"fd00::5","type":"fixed"}])");
  EXPECT_EQ(json::Write(*json::Find(seen, {"volumeIDs"})), R"(["v1","v2"])");
}

TEST_F(VirtualMachineTest, ListsHaveAMaximum) {
  std::vector<std::string> addresses;
  std::vector<std::string> volumes;
  for (int i = 0; i < 40; ++i) {
    addresses.push_back(absl::StrCat(R"({"addr": "10.0.0.)", i, R"(", "version": 4})"));
    volumes.push_back(absl::StrCat(R"({"id": "v)", i, R"("})"));
  }
  const rapidjson::Document seen = *json::Parse(
      Observe(absl::StrCat(R"({"status": "ACTIVE", "addresses": {"n": [)", absl::StrJoin(addresses, ","),
                           R"(]}, "os-extended-volumes:volumes_attached": [)", absl::StrJoin(volumes, ","), "]}")));
  EXPECT_EQ(json::Array(seen, {"addresses"}).Size(), 32U);
  EXPECT_EQ(json::Array(seen, {"volumeIDs"}).Size(), 32U);
}

TEST_F(VirtualMachineTest, TheAddressToReachItBy) {
  EXPECT_EQ(hooks_.Address(*json::Parse(kServer)), "203.0.113.5");
  EXPECT_EQ(hooks_.Address(*json::Parse(R"({"addresses": {"b": [{"addr": "10.2.0.1", "version": 4}],
                                                          "a": [{"addr": "fd00::1", "version": 6}, {"addr": "10.1.0.1", "version": 4}]}})")),
            "10.1.0.1");
  EXPECT_EQ(hooks_.Address(*json::Parse(R"({"status": "BUILD", "addresses": {}})")), "");
}

TEST_F(VirtualMachineTest, FieldsAreWhatItLooksAt) {
  EXPECT_THAT(hooks_.Fields(), ElementsAre("addresses", "os-extended-volumes:volumes_attached"));
}

}  // namespace
}  // namespace kupen::kinds
