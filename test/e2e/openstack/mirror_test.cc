// Mirrors of real collections: each service's way to be asked about a few objects, and how objects appear, change and go.
#include "provider/openstack/mirror.h"

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/clock.h"
#include "provider/json/json.h"
#include "test/e2e/openstack/real_cloud.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

using openstack::BusyPoll;
using openstack::Mirror;
using openstack::MirrorChange;
using openstack::MirroredObject;
using openstack::MirrorSpec;
using openstack::Presence;
using openstack::Rest;
using openstack::RestSpec;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

constexpr int kCount = 4;  // more than a mirror asks for one by one

class RealMirror : public RealOpenStack {
 protected:
  // Ours are the objects with this test's name.
  MirrorSpec SpecOf(const RestSpec& rest, BusyPoll busy_poll) const {
    MirrorSpec spec;
    spec.rest = rest;
    spec.fields = {"id", "name", "status", "description"};
    spec.marker_of = [name = name_](const rapidjson::Value& item) { return json::String(item, {"name"}) == name ? name : ""; };
    spec.busy_poll = busy_poll;
    return spec;
  }

  std::vector<std::string> CreateSome(const RestSpec& rest) {
    std::vector<std::string> ids;
    for (int i = 0; i < kCount; ++i) {
      const auto created = Rest(demo_, rest).Create(Json(absl::StrCat(R"({"name": ")", name_, R"("})")), {});
      EXPECT_TRUE(created.ok()) << created.status();
      if (!created.ok()) continue;
      ids.emplace_back(json::String(*created, {"id"}));
      CleanUp(demo_, rest.service, absl::StrCat(rest.path, "/", ids.back()));
    }
    return ids;
  }

  // OK once the mirror has what is expected of the object; long before the next full list.
  static absl::Status Until(const Mirror& mirror, const std::string& id, Presence presence, absl::string_view part = "") {
    return Eventually(absl::Seconds(20), [&]() -> absl::Status {
      const std::optional<MirroredObject> object = mirror.Find(id);
      if (!object.has_value() || object->presence != presence) return absl::NotFoundError("not yet, or no longer");
      return part.empty() ? absl::OkStatus() : Contains(*object->body, part);
    });
  }

  const std::string name_ = ScratchName("mirror");
  const openstack::MirrorEvents events_ = {.on_change = [](const MirrorChange&) {},
                                           .on_doubt = [](const std::string& message) { ADD_FAILURE() << message; }};
};

TEST_F(RealMirror, NetworksComeChangeAndGo) {
  const RestSpec rest = {.service = "network", .path = "/networks", .item_key = "network", .list_key = "networks"};
  Mirror mirror(demo_, SpecOf(rest, BusyPoll::kRepeatedIds), SystemClock(), events_);
  const std::jthread thread([&mirror](const std::stop_token& stop) { mirror.Run(stop); });
  ASSERT_OK(mirror.Refresh({}));
  EXPECT_THAT(mirror.FindByMarker(name_), IsEmpty());
  const std::vector<std::string> ids = CreateSome(rest);
  ASSERT_THAT(ids, SizeIs(kCount));
  ASSERT_OK(mirror.Refresh({}));
  EXPECT_THAT(mirror.FindByMarker(name_), UnorderedElementsAreArray(ids));

  for (const std::string& id : ids) {
    mirror.Track(id);
    mirror.SetBusy(id, true);
  }
  ASSERT_OK(Rest(demo_, rest).Update(ids[0], Json(R"({"description": "changed"})"), {}).status());
  ASSERT_OK(Rest(demo_, rest).Delete(ids[1], {}));
  ASSERT_OK(Until(mirror, ids[0], Presence::kPresent, "changed"));
  ASSERT_OK(Until(mirror, ids[1], Presence::kGone));
}

TEST_F(RealMirror, ImagesByIds) {
  const RestSpec rest = {.service = "image",
                         .path = "/images",
                         .list_key = "images",
                         .update_method = "PATCH",
                         .update_content_type = "application/openstack-images-v2.1-json-patch"};
  Mirror mirror(demo_, SpecOf(rest, BusyPoll::kIdsIn), SystemClock(), events_);
  const std::jthread thread([&mirror](const std::stop_token& stop) { mirror.Run(stop); });
  const std::vector<std::string> ids = CreateSome(rest);
  ASSERT_THAT(ids, SizeIs(kCount));
  ASSERT_OK(mirror.Refresh({}));
  for (const std::string& id : ids) {
    mirror.Track(id);
    mirror.SetBusy(id, true);
  }
  const std::string patch = R"([{"op": "add", "path": "/description", "value": "changed"}])";
  ASSERT_OK(Rest(demo_, rest).Update(ids[0], Json(patch), {}).status());
  ASSERT_OK(Rest(demo_, rest).Delete(ids[1], {}));
  ASSERT_OK(Until(mirror, ids[0], Presence::kPresent, "changed"));
  ASSERT_OK(Until(mirror, ids[1], Presence::kGone));
}

TEST_F(RealMirror, ServersByTheirChanges) {
  const RestSpec rest = {.service = "compute",
                         .path = "/servers",
                         .item_key = "server",
                         .list_key = "servers",
                         .list_path = "/servers/detail",
                         .microversions = {{{2, 60}, {2, 96}}}};
  ASSERT_OK_AND_ASSIGN(const http::Response images,
                       demo_.Send({.service = "image", .path = "/images", .query = {{"name", "cirros"}}}, {}));
  ASSERT_OK_AND_ASSIGN(const http::Response flavors, demo_.Send({.service = "compute", .path = "/flavors"}, {}));
  const rapidjson::Document image_list = Json(images.body);
  const rapidjson::Document flavor_list = Json(flavors.body);
  const std::string image(json::String(json::Array(image_list, {"images"})[0], {"id"}));
  const std::string flavor(json::String(json::Array(flavor_list, {"flavors"})[0], {"id"}));

  Mirror mirror(demo_, SpecOf(rest, BusyPoll::kChangesSince), SystemClock(), events_);
  const std::jthread thread([&mirror](const std::stop_token& stop) { mirror.Run(stop); });
  ASSERT_OK(mirror.Refresh({}));
  std::vector<std::string> ids;
  for (int i = 0; i < kCount; ++i) {
    ASSERT_OK_AND_ASSIGN(const rapidjson::Document server,
                         Rest(demo_, rest)
                             .Create(Json(absl::StrCat(R"({"name": ")", name_, R"(", "networks": "none", "flavorRef": ")",
                                                       flavor, R"(", "imageRef": ")", image, R"("})")),
                                     {}));
    ids.emplace_back(json::String(server, {"id"}));
    CleanUp(demo_, "compute", "/servers/" + ids.back());
    mirror.Track(ids.back());
    mirror.SetBusy(ids.back(), true);
  }
  for (const std::string& id : ids) ASSERT_OK(Until(mirror, id, Presence::kPresent, "ACTIVE"));
  EXPECT_THAT(mirror.FindByMarker(name_), UnorderedElementsAreArray(ids));
  ASSERT_OK(Rest(demo_, rest).Delete(ids[0], {}));
  ASSERT_OK(Until(mirror, ids[0], Presence::kGone));
}

}  // namespace
}  // namespace kupen::test
