#include "provider/kinds/image/image.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/server.h"
#include "provider/json/json.h"
#include "provider/openstack/session.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::kinds {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ImageTest : public testing::Test {
 protected:
  managed::HookContext Context() {
    return {.session = session_,
            .key = key_,
            .uid = uid_,
            .operation_id = operation_,
            .read_secret = read_secret_,
            .wake = wake_,
            .stop = stop_};
  }

  std::string Prepare(absl::string_view parameters) {
    managed::CreateRequest request{
        .object = rapidjson::Value(rapidjson::kObjectType), .beside = rapidjson::Value(rapidjson::kObjectType), .secrets = {}};
    const absl::Status status = hooks_.PrepareCreate(Context(), *json::Parse(parameters), request, memory_.GetAllocator());
    return status.ok() ? json::Write(request.object) : status.ToString();
  }

  // "member=wanted | text".
  std::vector<std::string> Diff(absl::string_view parameters, absl::string_view object) {
    std::vector<std::string> lines;
    for (const managed::HookChange& change :
         hooks_.Diff(*json::Parse(parameters), *json::Parse(object), memory_.GetAllocator())) {
      lines.push_back(absl::StrCat(change.member, "=", json::Write(change.wanted), " | ", change.text));
    }
    return lines;
  }

  absl::Status Advance(absl::string_view parameters, absl::string_view object) {
    return hooks_.Advance(Context(), "image-1", *json::Parse(parameters), *json::Parse(object));
  }

  void AwaitWakes(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, count] { return wakes_ >= count; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int wakes_ = 0;
  test::FakeClock clock_;
  test::FakeCloud cloud_;
  std::shared_ptr<openstack::Session> session_ =
      std::make_shared<openstack::Session>(cloud_.config(), cloud_.transports(), clock_);
  const kube::ObjectKey key_{.ns = "team", .name = "debian"};
  const std::string uid_ = "uid";
  const std::string operation_ = "req-1";
  const std::function<absl::StatusOr<std::string>(const std::string&, const std::string&)> read_secret_ =
      [](const std::string&, const std::string&) { return absl::NotFoundError("no secrets"); };
  const std::function<void()> wake_ = [this] {
    const std::lock_guard guard(mutex_);
    ++wakes_;
    changed_.notify_all();
  };
  const std::stop_token stop_;
  rapidjson::Document memory_;
  ImageHooks hooks_{clock_, {}};
};

TEST_F(ImageTest, PropertiesAreMembersAndRemembered) {
  EXPECT_EQ(Prepare(R"({"properties": {"os_distro": "debian", "hw_disk_bus": "virtio"}})"),
            R"({"hw_disk_bus":"virtio","os_distro":"debian","kupen_properties":"hw_disk_bus,os_distro"})");
  EXPECT_EQ(Prepare("{}"), "{}");
  EXPECT_EQ(Prepare(R"({"properties": {}})"), "{}");
}

TEST_F(ImageTest, WhatGlanceKeepsForItselfIsNoProperty) {
  for (const char* name : {"visibility", "os_hash_value", "os_glance_stage_host", "kupen_properties"}) {
    EXPECT_THAT(Prepare(absl::StrCat(R"({"properties": {")", name, R"(": "x"}})")),
                HasSubstr(absl::StrCat("INVALID_ARGUMENT: properties.", name, ":")));
    EXPECT_THAT(Diff(absl::StrCat(R"({"properties": {")", name, R"(": "x"}})"),
                     absl::StrCat(R"({"kupen_properties": ")", name, R"("})")),
                IsEmpty());
  }
}

constexpr char kImage[] = R"({"id": "i", "name": "x", "hw_disk_bus": "ide", "os_distro": "debian", "by_hand": "stays",
                              "kupen_properties": "hw_disk_bus,os_distro"})";

TEST_F(ImageTest, PropertiesAreSetChangedAndRemoved) {
  EXPECT_THAT(Diff(R"({"properties": {"hw_disk_bus": "ide", "os_distro": "debian"}})", kImage), IsEmpty());
  EXPECT_THAT(Diff(R"({"properties": {"hw_disk_bus": "virtio", "os_distro": "debian"}})", kImage),
              ElementsAre(R"(hw_disk_bus="virtio" | properties.hw_disk_bus: ide → virtio)"));
  EXPECT_THAT(Diff(R"({"properties": {"hw_disk_bus": "ide", "os_type": "linux"}})", kImage),
              ElementsAre(R"(os_type="linux" | properties.os_type: none → linux)",
                          R"(os_distro=null | properties.os_distro: debian → none)",
                          R"(kupen_properties="hw_disk_bus,os_type" | properties to manage: hw_disk_bus,os_type)"));
}

TEST_F(ImageTest, AnEmptyMapRemovesOursAndNoMapChangesNothing) {
  EXPECT_THAT(Diff(R"({"properties": {}})", kImage), ElementsAre(R"(hw_disk_bus=null | properties.hw_disk_bus: ide → none)",
                                                                 R"(os_distro=null | properties.os_distro: debian → none)",
                                                                 R"(kupen_properties=null | properties to manage: none)"));
  EXPECT_THAT(Diff("{}", kImage), IsEmpty());
  EXPECT_THAT(Diff(R"({"properties": {}})", R"({"id": "i", "by_hand": "stays"})"), IsEmpty());
}

TEST_F(ImageTest, ShowsTheHash) {
  rapidjson::Document observation(rapidjson::kObjectType);
  hooks_.Observe(*json::Parse(R"({"os_hash_algo": "sha512", "os_hash_value": null})"), observation, observation.GetAllocator());
  EXPECT_EQ(json::Write(observation), "{}");
  hooks_.Observe(*json::Parse(R"({"os_hash_algo": "sha512", "os_hash_value": "abc"})"), observation,
                 observation.GetAllocator());
  EXPECT_EQ(json::Write(observation), R"({"hash":"sha512:abc"})");
  EXPECT_TRUE(hooks_.KeepsAllFields());
}

TEST_F(ImageTest, AQueuedImageGetsItsData) {
  const auto source = *http::Server::Start(
      {.routes = {{"/data", [](const http::Request&) { return http::Response{.status = 200, .body = "data"}; }}}});
  std::string stored;
  cloud_.Serve([&stored](const http::Request& request) -> absl::StatusOr<http::Response> {
    if (request.method == "GET") return http::Response{.status = 200, .body = R"({"status": "queued"})"};
    absl::StatusOr<std::string> piece = request.body_source();
    for (; piece.ok() && !piece->empty(); piece = request.body_source()) absl::StrAppend(&stored, *piece);
    if (!piece.ok()) return piece.status();
    return http::Response{.status = 204};
  });
  const std::string parameters = absl::StrCat(R"({"source": {"url": "http://127.0.0.1:)", source->port(), R"(/data"}})");
  EXPECT_TRUE(Advance(parameters, R"({"status": "saving"})").ok());
  EXPECT_TRUE(Advance("{}", R"({"status": "queued"})").ok());
  EXPECT_THAT(cloud_.requests(), IsEmpty()) << "not queued, or nothing to send";
  EXPECT_TRUE(Advance(parameters, R"({"status": "queued"})").ok());
  AwaitWakes(1);
  EXPECT_EQ(stored, "data");
}

TEST_F(ImageTest, AFailedUploadIsTold) {
  cloud_.Serve([](const http::Request&) { return http::Response{.status = 200, .body = R"({"status": "queued"})"}; });
  const std::string parameters = R"({"source": {"url": "http://127.0.0.1:1/x"}})";
  EXPECT_TRUE(Advance(parameters, R"({"status": "queued"})").ok());
  AwaitWakes(1);
  EXPECT_THAT(Advance(parameters, R"({"status": "queued"})").message(),
              HasSubstr("upload of the image's data: GET http://127.0.0.1:1/x: connection refused"));
}

}  // namespace
}  // namespace kupen::kinds
