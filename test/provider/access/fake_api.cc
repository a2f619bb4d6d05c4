#include "test/provider/access/fake_api.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "provider/json/json.h"

namespace kupen::test {
namespace {

using rapidjson::Document;
using rapidjson::Value;

http::Response Refusal(int status, absl::string_view reason) {
  return {
      .status = status,
      .body = absl::StrCat(R"({"kind":"Status","reason":")", reason, R"(","message":"the API server says )", reason, R"("})")};
}

// RFC 7396.
void Merge(Value& into, const Value& patch, Document::AllocatorType& allocator) {
  if (!into.IsObject()) into.SetObject();
  for (const auto& member : patch.GetObject()) {
    into.RemoveMember(member.name);
    if (member.value.IsNull()) continue;
    Value value(member.value, allocator);
    into.AddMember(Value(member.name, allocator), value, allocator);
  }
}

// As above, and metadata member by member; the tests' patches go no deeper.
void MergeObject(Document& into, const Value& patch) {
  auto& allocator = into.GetAllocator();
  for (const auto& member : patch.GetObject()) {
    const absl::string_view name = json::String(member.name);
    if (name != "metadata") {
      into.RemoveMember(member.name);
      into.AddMember(Value(member.name, allocator), Value(member.value, allocator), allocator);
      continue;
    }
    if (!into.HasMember("metadata")) into.AddMember("metadata", Value(rapidjson::kObjectType), allocator);
    Merge(into["metadata"], member.value, allocator);
  }
}

void SetText(Value& object, const char* name, const std::string& text, Document::AllocatorType& allocator) {
  object.RemoveMember(name);
  object.AddMember(rapidjson::StringRef(name), Value(text.c_str(), allocator), allocator);
}

std::string VersionOf(const Value& object) { return std::string(json::String(object, {"metadata", "resourceVersion"})); }

}  // namespace

void FakeApi::Put(const std::string& path, absl::string_view text) {
  Document object = Get(path);
  if (!object.IsObject()) object.SetObject();
  MergeObject(object, json::Parse(text).value());
  if (!object.HasMember("metadata")) object.AddMember("metadata", Value(rapidjson::kObjectType), object.GetAllocator());
  // /api/v1/namespaces/<namespace>/<plural>/<name>, or without the namespace
  const std::vector<std::string> parts = absl::StrSplit(path, '/');
  SetText(object["metadata"], "name", parts.back(), object.GetAllocator());
  const std::string& maybe = parts[parts.size() - 4];
  if (maybe == "namespaces") SetText(object["metadata"], "namespace", parts[parts.size() - 3], object.GetAllocator());
  Save(path, std::move(object));
}

void FakeApi::Delete(const std::string& path) { Put(path, R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})"); }

Document FakeApi::Get(const std::string& path) const {
  const std::lock_guard guard(mutex_);
  const auto found = objects_.find(path);
  return found == objects_.end() ? Document() : json::Parse(found->second).value();
}

http::Response FakeApi::Save(const std::string& path, Document object) {
  std::string text;
  bool gone = false;
  {
    const std::lock_guard guard(mutex_);
    SetText(object["metadata"], "resourceVersion", absl::StrCat(++version_), object.GetAllocator());
    text = json::Write(object);
    gone = json::Find(object, {"metadata", "deletionTimestamp"}) != nullptr &&
           json::Array(object, {"metadata", "finalizers"}).Empty();
    if (gone) {
      objects_.erase(path);
    } else {
      objects_[path] = text;
    }
  }
  if (on_change) on_change(path, gone ? nullptr : &object);
  return {.status = 200, .body = text};
}

http::Response FakeApi::Patch(const std::string& path, const Value& patch, bool status) {
  Document object = Get(path);
  if (!object.IsObject()) return Refusal(404, "NotFound");
  if (const std::string version = VersionOf(patch); !version.empty() && version != VersionOf(object)) {
    return Refusal(409, "Conflict");
  }
  if (status) {
    Document only(rapidjson::kObjectType);
    only.AddMember("status", Value(*json::Find(patch, {"status"}), only.GetAllocator()), only.GetAllocator());
    MergeObject(object, only);
  } else {
    MergeObject(object, patch);
  }
  return Save(path, std::move(object));
}

std::vector<std::string> FakeApi::TakeWrites() {
  const std::lock_guard guard(mutex_);
  return std::exchange(writes_, {});
}

std::vector<std::string> FakeApi::AwaitEvents(size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return events_.size() >= count; });
  return events_;
}

std::vector<std::string> FakeApi::events() const {
  const std::lock_guard guard(mutex_);
  return events_;
}

std::string FakeApi::sent() const {
  const std::lock_guard guard(mutex_);
  return sent_;
}

void FakeApi::AnswerNamespaces(int status, std::string body) {
  const std::lock_guard guard(mutex_);
  namespaces_status_ = status;
  namespaces_body_ = std::move(body);
}

void FakeApi::Intercept(std::string method_and_path, http::Response answer) {
  const std::lock_guard guard(mutex_);
  intercepted_ = std::move(method_and_path);
  interception_ = std::move(answer);
}

absl::StatusOr<http::Response> FakeApi::Send(const http::Request& request, const std::stop_token&) {
  std::string path = request.target.substr(0, request.target.find('?'));
  const bool status = absl::EndsWith(path, "/status");
  const bool event = absl::StrContains(path, "/events");
  const Document body = request.body.empty() ? Document() : json::Parse(request.body).value();
  {
    const std::lock_guard guard(mutex_);
    absl::StrAppend(&sent_, request.body, "\n");
    if (absl::StrCat(request.method, " ", path) == intercepted_) return interception_;
    if (event) {
      events_.push_back(absl::StrCat(json::String(body, {"type"}), " ", json::String(body, {"reason"}), ": ",
                                     json::String(body, {"message"})));
      changed_.notify_all();
      return http::Response{.status = 201, .body = request.body};
    }
    if (request.method != "GET") writes_.push_back(absl::StrCat(request.method, " ", path));
  }
  path = std::string(absl::StripSuffix(path, "/status"));
  if (request.method == "PATCH") return Patch(path, body, status);
  const Document object = Get(path);
  if (!object.IsObject()) return Refusal(404, "NotFound");
  return http::Response{.status = 200, .body = json::Write(object)};
}

absl::StatusOr<http::Response> FakeApi::Stream(const http::Request&, const http::ResponseSink&, const http::BodySink& on_body,
                                               const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (namespaces_status_ != 200) return Refusal(namespaces_status_, "Forbidden");
  const std::string body = namespaces_body_;
  lock.unlock();
  on_body(body);
  lock.lock();
  changed_.wait(lock, stop, [] { return false; });
  return absl::CancelledError("stopped");
}

}  // namespace kupen::test
