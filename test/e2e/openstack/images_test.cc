// Images of the real Glance: their data, and what becomes of an upload that is broken off; their properties.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apis/registry/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/clock.h"
#include "provider/http/server.h"
#include "provider/json/json.h"
#include "provider/kinds/image/image.h"
#include "provider/managed/changes.h"
#include "provider/managed/kind.h"
#include "provider/openstack/transports.h"
#include "test/e2e/openstack/real_cloud.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr size_t kSize = 20'000'000;
// Of so many zeros.
constexpr char kSha256[] = "9e21c61969cd3e077a1b2b58ddb583b175e13c6479d2d83912eaddc23c0cdd52";

class RealImages : public RealOpenStack {
 protected:
  std::shared_ptr<openstack::Session> NewSession() {
    return std::make_shared<openstack::Session>(RealCloud("demo"), openstack::HttpTransports(), SystemClock());
  }

  // Creates an image as the reconciler does; gives its id.
  std::string Create(const std::string& parameters) {
    const rapidjson::Document given = Json(parameters);
    rapidjson::Document memory;
    managed::CreateRequest request{.object = schema::EncodeForCreate(kind_.plan.parameters, given, memory.GetAllocator()),
                                   .beside = rapidjson::Value(rapidjson::kObjectType),
                                   .secrets = {}};
    EXPECT_EQ(absl::OkStatus(), kind_.hooks->PrepareCreate(Context(), given, request, memory.GetAllocator()));
    const absl::StatusOr<rapidjson::Document> image = images_.Create(request.object, {});
    EXPECT_EQ(absl::OkStatus(), image.status());
    if (!image.ok()) return "";
    const std::string id(json::String(*image, {"id"}));
    CleanUp(demo_, "image", "/images/" + id);
    return id;
  }

  rapidjson::Document Get(const std::string& id) {
    absl::StatusOr<rapidjson::Document> image = images_.Get(id, {});
    EXPECT_EQ(absl::OkStatus(), image.status());
    return image.ok() ? *std::move(image) : rapidjson::Document();
  }

  // Returns when the upload that this starts has ended.
  absl::Status Upload(const std::string& id, const std::string& parameters) {
    const int before = Wakes();
    RETURN_IF_ERROR(kind_.hooks->Advance(Context(), id, Json(parameters), Get(id)));
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, before] { return wakes_ > before; });
    lock.unlock();
    return kind_.hooks->Advance(Context(), id, Json(parameters), Json(R"({"status": "queued"})"));
  }

  int Wakes() {
    const std::lock_guard guard(mutex_);
    return wakes_;
  }

  absl::Status Update(const std::string& id, const std::string& parameters) {
    rapidjson::Document memory;
    const rapidjson::Document object = Get(id);
    managed::Changes changes = managed::FindChanges(kind_, Json(parameters), object, "", memory.GetAllocator());
    if (!changes.AreInPlace()) return absl::NotFoundError("nothing to change");
    return managed::SendChanges(kind_, images_, id, std::nullopt, std::move(changes), object, {}, {}).status();
  }

  managed::HookContext Context() {
    return {.session = session_,
            .key = key_,
            .uid = uid_,
            .operation_id = operation_,
            .read_secret = read_secret_,
            .wake = wake_,
            .stop = stop_};
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int wakes_ = 0;
  const std::shared_ptr<openstack::Session> session_ = NewSession();
  const kube::ObjectKey key_{.ns = "team", .name = "image"};
  const std::string uid_ = ScratchName("uid");
  const std::string operation_;
  const std::function<absl::StatusOr<std::string>(const std::string&, const std::string&)> read_secret_;
  const std::function<void()> wake_ = [this] {
    const std::lock_guard guard(mutex_);
    ++wakes_;
    changed_.notify_all();
  };
  const std::stop_token stop_;
  // Serves zeros.
  const std::unique_ptr<http::Server> source_ =
      *http::Server::Start({.routes = {{"/zeros", [](const http::Request&) {
                                          return http::Response{.status = 200, .body = std::string(kSize, '\0')};
                                        }}}});
  const std::string url_ = absl::StrCat("http://127.0.0.1:", source_->port(), "/zeros");
  managed::ManagedKind kind_ = [] {
    managed::ManagedKind kind(*apis::Registry().Find("image.Image"));
    kind.hooks = std::make_unique<kinds::ImageHooks>(SystemClock(), kinds::SourceOptions{});
    return kind;
  }();
  openstack::Rest images_{demo_, kind_.rest};
};

std::string Parameters(const std::string& url, const std::string& sha256) {
  return absl::StrCat(R"({"name": "scratch", "diskFormat": "raw", "containerFormat": "bare", "source": {"url": ")", url,
                      R"(", "checksum": {"algorithm": "sha256", "value": ")", sha256, R"("}}})");
}

TEST_F(RealImages, DataThatIsWhatItShouldBe) {
  const std::string parameters = Parameters(url_, kSha256);
  const std::string id = Create(parameters);
  ASSERT_OK(Upload(id, parameters));
  const rapidjson::Document image = Get(id);
  EXPECT_EQ(json::String(image, {"status"}), "active");
  EXPECT_EQ(json::Find(image, {"size"})->GetInt64(), static_cast<int64_t>(kSize));
  rapidjson::Document observation(rapidjson::kObjectType);
  kind_.hooks->Observe(image, observation, observation.GetAllocator());
  EXPECT_THAT(std::string(json::String(observation, {"hash"})), AllOf(HasSubstr("sha512:"), SizeIs(7 + 128)));
}

TEST_F(RealImages, DataThatIsNot) {
  const std::string wrong = Parameters(url_, std::string(64, '0'));
  const std::string id = Create(wrong);
  const absl::Status status = Upload(id, wrong);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(kSha256), HasSubstr(std::string(64, '0')), HasSubstr("source.checksum")));
  // Glance learns from the broken connection that there is no more to come.
  EXPECT_EQ(absl::OkStatus(), Eventually(absl::Seconds(20), [&] {
              const rapidjson::Document image = Get(id);
              return Contains(json::Write(image), R"("status":"queued")");
            }));
  EXPECT_TRUE(json::Find(Get(id), {"size"})->IsNull()) << "nothing is kept";

  // Mended by the user, it is tried again at once, with the same image.
  EXPECT_EQ(absl::OkStatus(), Upload(id, Parameters(url_, kSha256)));
  EXPECT_EQ(json::String(Get(id), {"status"}), "active");
}

TEST_F(RealImages, Properties) {
  const auto with = [](const std::string& properties) { return absl::StrCat(R"({"properties": )", properties, "}"); };
  const std::string id = Create(R"({"name": "scratch", "diskFormat": "raw", "containerFormat": "bare",
                                    "properties": {"hw_disk_bus": "ide", "os_distro": "debian", "with/slash~": "x"}})");
  EXPECT_EQ(json::String(Get(id), {"hw_disk_bus"}), "ide");
  EXPECT_TRUE(absl::IsNotFound(Update(id, with(R"({"hw_disk_bus": "ide", "os_distro": "debian", "with/slash~": "x"})"))));

  // Somebody else's stays.
  ASSERT_OK(images_.Update(id, Json(R"([{"op": "add", "path": "/by_hand", "value": "stays"}])"), {}).status());
  ASSERT_OK(Update(id, with(R"({"hw_disk_bus": "virtio", "os_type": "linux"})")));
  rapidjson::Document image = Get(id);
  EXPECT_EQ(json::String(image, {"hw_disk_bus"}), "virtio");
  EXPECT_EQ(json::String(image, {"os_type"}), "linux");
  EXPECT_EQ(json::String(image, {"by_hand"}), "stays");
  EXPECT_EQ(json::Find(image, {"os_distro"}), nullptr);
  EXPECT_EQ(json::Find(image, {"with/slash~"}), nullptr);
  EXPECT_TRUE(absl::IsNotFound(Update(id, with(R"({"hw_disk_bus": "virtio", "os_type": "linux"})"))));

  ASSERT_OK(Update(id, with("{}")));
  image = Get(id);
  EXPECT_EQ(json::Find(image, {"hw_disk_bus"}), nullptr);
  EXPECT_EQ(json::Find(image, {"kupen_properties"}), nullptr);
  EXPECT_EQ(json::String(image, {"by_hand"}), "stays");
  EXPECT_TRUE(absl::IsNotFound(Update(id, with("{}"))));
}

}  // namespace
}  // namespace kupen::test
