#include "test/provider/managed/fake_kube.h"

#include <chrono>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "apis/registry/registry.h"
#include "provider/json/json.h"

namespace kupen::test {
namespace {

constexpr std::chrono::seconds kPatience(10);

using rapidjson::Document;
using rapidjson::Value;

http::Response Refused(int code, absl::string_view reason) {
  return {
      .status = code,
      .headers = {},
      .body = absl::StrCat(R"({"kind":"Status","reason":")", reason, R"(","message":")", reason, R"(","code":)", code, "}")};
}

void MergeInto(Value& target, const Value& patch, Document::AllocatorType& allocator) {
  for (const auto& member : patch.GetObject()) {
    const absl::string_view name = json::String(member.name);
    const auto present = target.FindMember(member.name);
    if (member.value.IsNull()) {
      if (present != target.MemberEnd()) target.RemoveMember(present);
    } else if (member.value.IsObject() && present != target.MemberEnd() && present->value.IsObject()) {
      MergeInto(present->value, member.value, allocator);
    } else {
      json::Set(target, name, Value(member.value, allocator), allocator);
    }
  }
}

Document Parsed(const std::string& text) { return *json::Parse(text); }

}  // namespace

std::string FakeKube::KindOf(const std::string& plural) const {
  for (const apis::Kind& kind : apis::Registry().all()) {
    if (kind.plural == plural) return kind.reference();
  }
  return "";
}

FakeKube::Place FakeKube::Parse(const std::string& target) {
  // /apis/<group>/<version>/namespaces/<ns>/<plural>/<name>[/status]
  const std::string path = target.substr(0, target.find('?'));
  std::vector<std::string> parts = absl::StrSplit(path, '/', absl::SkipEmpty());
  Place place;
  size_t i = parts[0] == "api" ? 2 : 3;
  if (i < parts.size() && parts[i] == "namespaces") {
    place.ns = parts[i + 1];
    i += 2;
  }
  if (i < parts.size()) place.plural = parts[i++];
  if (i < parts.size()) place.name = parts[i++];
  if (i < parts.size()) place.subresource = parts[i];
  return place;
}

void FakeKube::Put(const std::string& kind, const std::string& text) {
  std::unique_lock lock(mutex_);
  Document object = Parsed(text);
  auto& allocator = object.GetAllocator();
  Place place{.plural = apis::Registry().Find(kind)->plural,
              .ns = std::string(json::String(object, {"metadata", "namespace"})),
              .name = std::string(json::String(object, {"metadata", "name"})),
              .subresource = ""};
  const auto before = stored_.find(place);
  if (before == stored_.end()) {
    json::Set(object["metadata"], "uid", absl::StrFormat("00000000-0000-4000-8000-%012d", ++uids_), allocator);
    json::Set(object["metadata"], "generation", Value(1), allocator);
  } else {
    Document merged = Parsed(before->second);
    merged["metadata"]["generation"] = merged["metadata"]["generation"].GetInt() + 1;
    merged["spec"].CopyFrom(object["spec"], merged.GetAllocator());
    MergeInto(merged["metadata"], object["metadata"], merged.GetAllocator());
    object = std::move(merged);
  }
  Store(place, std::move(object));
  lock.unlock();
  Tell(place);
}

void FakeKube::Delete(const std::string& kind, const std::string& ns, const std::string& name) {
  std::unique_lock lock(mutex_);
  const Place place{.plural = apis::Registry().Find(kind)->plural, .ns = ns, .name = name, .subresource = ""};
  Document object = Parsed(stored_.at(place));
  if (json::Array(object, {"metadata", "finalizers"}).Empty()) {
    stored_.erase(place);
  } else {
    json::Set(object["metadata"], "deletionTimestamp", "2027-01-15T08:00:00Z", object.GetAllocator());
    Store(place, std::move(object));
  }
  lock.unlock();
  Tell(place);
}

void FakeKube::Store(const Place& place, Document object) {
  json::Set(object["metadata"], "resourceVersion", absl::StrCat(++version_), object.GetAllocator());
  stored_[place] = json::Write(object);
}

void FakeKube::Tell(const Place& place) {
  std::string text;
  {
    const std::lock_guard guard(mutex_);
    if (late_) {
      missed_.push_back(place);
      return;
    }
    const auto found = stored_.find(place);
    if (found != stored_.end()) text = found->second;
  }
  kube::Store* store = objects_.StoreOf(KindOf(place.plural));
  if (store == nullptr) return;
  Document object = text.empty()
                        ? Parsed(absl::StrCat(R"({"metadata":{"name":")", place.name, R"(","namespace":")", place.ns, R"("}})"))
                        : Parsed(text);
  store->Take({.type = text.empty() ? kube::WatchEvent::Type::kDelete : kube::WatchEvent::Type::kApply, .object = &object});
}

void FakeKube::RefuseStatusWith(const std::string& text) {
  const std::lock_guard guard(mutex_);
  refused_ = text;
}

void FakeKube::set_late(bool late) {
  const std::lock_guard guard(mutex_);
  late_ = late;
}

void FakeKube::CatchUp() {
  std::vector<Place> missed;
  {
    const std::lock_guard guard(mutex_);
    missed.swap(missed_);
    late_ = false;
  }
  for (const Place& place : missed) Tell(place);
}

Document FakeKube::Get(const std::string& kind, const std::string& ns, const std::string& name) const {
  const std::lock_guard guard(mutex_);
  const auto found = stored_.find({.plural = apis::Registry().Find(kind)->plural, .ns = ns, .name = name, .subresource = ""});
  return found == stored_.end() ? Document() : Parsed(found->second);
}

void FakeKube::PutSecret(const std::string& ns, const std::string& name, const std::string& json) {
  const std::lock_guard guard(mutex_);
  Store({.plural = "secrets", .ns = ns, .name = name, .subresource = ""}, Parsed(json));
}

void FakeKube::DeleteSecret(const std::string& ns, const std::string& name) {
  const std::lock_guard guard(mutex_);
  stored_.erase({.plural = "secrets", .ns = ns, .name = name, .subresource = ""});
}

Document FakeKube::GetSecret(const std::string& ns, const std::string& name) const {
  const std::lock_guard guard(mutex_);
  const auto found = stored_.find({.plural = "secrets", .ns = ns, .name = name, .subresource = ""});
  return found == stored_.end() ? Document() : Parsed(found->second);
}

std::vector<std::string> FakeKube::writes() const {
  const std::lock_guard guard(mutex_);
  return writes_;
}

std::string FakeKube::written_text() const {
  const std::lock_guard guard(mutex_);
  return text_;
}

std::vector<std::string> FakeKube::AwaitEvents(size_t count) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [&] { return events_.size() >= count; });
  return events_;
}

std::vector<std::string> FakeKube::AwaitEvent(const std::string& reason) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [&] { return absl::c_linear_search(events_, reason); });
  return events_;
}

absl::StatusOr<http::Response> FakeKube::Send(const http::Request& request, const std::stop_token&) {
  const Place place = Parse(request.target);
  std::unique_lock lock(mutex_);
  if (request.method != "GET") {
    writes_.push_back(absl::StrCat(request.method, " ", place.plural, place.subresource.empty() ? "" : "/", place.subresource));
    absl::StrAppend(&text_, request.body, "\n");
  }
  if (place.plural == "events") {
    events_.emplace_back(json::String(Parsed(request.body), {"reason"}));
    changed_.notify_all();
    return http::Response{.status = 201, .headers = {}, .body = request.body};
  }
  if (request.method == "POST") return Create(place, request);
  if (request.method == "PATCH") {
    http::Response response = Patch(place, request);
    lock.unlock();
    Tell({.plural = place.plural, .ns = place.ns, .name = place.name, .subresource = ""});
    return response;
  }
  const auto found = stored_.find(place);
  if (found == stored_.end()) return Refused(404, "NotFound");
  return http::Response{.status = 200, .headers = {}, .body = found->second};
}

http::Response FakeKube::Create(Place place, const http::Request& request) {
  Document object = Parsed(request.body);
  place.name = std::string(json::String(object, {"metadata", "name"}));
  if (stored_.contains(place)) return Refused(409, "AlreadyExists");
  Store(place, std::move(object));
  return http::Response{.status = 201, .headers = {}, .body = stored_[place]};
}

http::Response FakeKube::Patch(const Place& place, const http::Request& request) {
  const Place key{.plural = place.plural, .ns = place.ns, .name = place.name, .subresource = ""};
  const auto found = stored_.find(key);
  if (found == stored_.end()) return Refused(404, "NotFound");
  Document object = Parsed(found->second);
  const Document patch = Parsed(request.body);
  if (place.subresource == "status" && !refused_.empty() && absl::StrContains(request.body, refused_)) {
    return Refused(422, "Invalid");
  }
  if (patch.IsArray()) {
    // As the reconciler writes them: a test of the UID, and the whole status.
    if (json::String(patch[0], {"value"}) != json::String(object, {"metadata", "uid"})) return Refused(422, "Invalid");
    json::Set(object, "status", Value(patch[1]["value"], object.GetAllocator()), object.GetAllocator());
  } else {
    const absl::string_view version = json::String(patch, {"metadata", "resourceVersion"});
    const absl::string_view uid = json::String(patch, {"metadata", "uid"});
    if (!version.empty() && version != json::String(object, {"metadata", "resourceVersion"})) return Refused(409, "Conflict");
    if (!uid.empty() && uid != json::String(object, {"metadata", "uid"})) return Refused(409, "Conflict");
    MergeInto(object, patch, object.GetAllocator());
  }
  const bool gone = json::Find(object, {"metadata", "deletionTimestamp"}) != nullptr &&
                    json::Array(object, {"metadata", "finalizers"}).Empty();
  Store(key, std::move(object));
  http::Response response{.status = 200, .headers = {}, .body = stored_[key]};
  if (gone) stored_.erase(key);
  return response;
}

}  // namespace kupen::test
