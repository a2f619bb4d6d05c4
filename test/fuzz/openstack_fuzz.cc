// What a cloud answers, which may be anybody's server: errors, tokens with their catalog, version documents, and lists into a
// mirror.
#include <array>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "provider/json/json.h"
#include "provider/openstack/catalog.h"
#include "provider/openstack/error.h"
#include "provider/openstack/microversion.h"
#include "provider/openstack/mirror_store.h"
#include "provider/openstack/rest.h"
#include "provider/openstack/session.h"
#include "provider/openstack/token.h"
#include "test/fakes/fake_clock.h"
#include "test/fuzz/fuzz.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::fuzz {
namespace {

using openstack::MirrorStore;

constexpr std::array<absl::string_view, 6> kServices = {"compute", "network", "image", "identity", "block-storage", "unknown"};
constexpr std::array kStatuses = {400, 401, 403, 404, 409, 413, 429, 500, 502, 503, 301, 999};
constexpr size_t kLongestError = 1200;

void CheckError(uint8_t choice, absl::string_view body) {
  const absl::string_view service = kServices[choice % kServices.size()];
  const http::Response response{.status = kStatuses[choice % kStatuses.size()],
                                .headers = {{"Retry-After", std::string(body.substr(0, 12))}},
                                .body = std::string(body)};
  const absl::Status error = openstack::ErrorFromResponse(service, response, {std::string(kSecret)});
  Check(!error.ok(), "a refusal is taken for a success");
  CheckMessage(error);
  Check(error.message().size() <= kLongestError, "an error without a limit", error.message());
  Check(openstack::HttpStatusOf(error) == response.status, "an error forgets its status", error.message());
  Check(openstack::RetryAfterOf(error) >= absl::ZeroDuration(), "a pause into the past");
  Check(!openstack::DispositionName(openstack::DispositionOf(error)).empty(), "an error without a disposition");
}

void CheckVersions(absl::string_view body) {
  const absl::StatusOr<openstack::MicroversionRange> range = openstack::ParseVersionDocument(body);
  if (!range.ok()) return CheckMessage(range.status());
  for (const openstack::Microversion& version : {range->min, range->max}) {
    const absl::StatusOr<openstack::Microversion> again = openstack::ParseMicroversion(openstack::ToString(version));
    Check(again.ok() && *again == version, "a microversion changes when it is read again", openstack::ToString(version));
  }
  CheckMessage(openstack::Negotiate("compute", {.min = {2, 1}, .max = {2, 96}}, *range).status());
}

void CheckToken(absl::string_view body) {
  const absl::StatusOr<openstack::Token> token =
      openstack::ParseToken({.status = 201, .headers = {{"X-Subject-Token", std::string(kSecret)}}, .body = std::string(body)});
  if (!token.ok()) return CheckMessage(token.status());
  for (const absl::string_view service : kServices) {
    const absl::StatusOr<std::string> endpoint = token->catalog.Endpoint(service, "R1", "public");
    Check(!endpoint.ok() || !endpoint->empty(), "an endpoint that is nowhere");
  }
}

// The ids of a mirror's objects after a list of those pages, and what was wrong with it.
class Mirrored {
 public:
  explicit Mirrored(std::vector<std::string> pages) : pages_(std::move(pages)) {
    cloud_.Serve([this](const http::Request&) -> absl::StatusOr<http::Response> {
      if (next_ == pages_.size()) return http::Response{.status = 404};
      return http::Response{.status = 200, .body = pages_[next_++]};
    });
    store_.Track("n1");
  }

  void CheckList() {
    const absl::Status first = List();
    CheckMessage(first);
    CheckObjects();
    // An object that is there twice changes with each list: nothing can be said about it.
    if (!first.ok() || twice_) return;
    Check(List().ok(), "the same list is refused when it comes again");
    Check(changes_ == 0, "the same list changes something when it comes again");
    CheckObjects();
  }

 private:
  absl::Status List() {
    next_ = 0;
    changes_ = 0;
    ids_.clear();
    store_.BeginList();
    const absl::Status listed = networks_.List({},
                                               [this](const rapidjson::Value& item) {
                                                 const std::string id(json::String(item, {"id"}));
                                                 twice_ = !ids_.insert(id).second || twice_;
                                                 if (store_.PutListed(item).has_value()) ++changes_;
                                                 return absl::OkStatus();
                                               },
                                               {});
    if (listed.ok()) {
      changes_ += store_.EndList().changes.size();
    } else {
      store_.AbandonList();
    }
    return listed;
  }

  void CheckObjects() const {
    for (const std::string& id : ids_) {
      const std::optional<openstack::MirroredObject> object = store_.Find(id);
      if (!object.has_value() || object->presence != openstack::Presence::kPresent) continue;
      const absl::StatusOr<rapidjson::Document> body = json::Parse(*object->body);
      Check(body.ok() && json::String(*body, {"id"}) == id, "a mirrored object is not what was listed", *object->body);
    }
  }

  const std::vector<std::string> pages_;
  size_t next_ = 0;
  size_t changes_ = 0;
  bool twice_ = false;
  std::set<std::string> ids_;
  test::FakeClock clock_;
  test::FakeCloud cloud_;
  openstack::Session session_{cloud_.config(), cloud_.transports(), clock_};
  openstack::Rest networks_{
      session_, {.service = "network", .path = "/networks", .item_key = "network", .list_key = "networks", .page_size = 2}};
  MirrorStore store_{{}, [](const rapidjson::Value& item) { return std::string(json::String(item, {"description"})); }};
};

}  // namespace
}  // namespace kupen::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  absl::string_view body = kupen::fuzz::Text(data, size);
  const uint8_t choice = kupen::fuzz::TakeByte(body);
  kupen::fuzz::CheckError(choice, body);
  kupen::fuzz::CheckVersions(body);
  kupen::fuzz::CheckToken(body);
  // Pages are lines.
  kupen::fuzz::Mirrored(absl::StrSplit(body, '\n')).CheckList();
  return 0;
}
