#include "test/provider/managed/fake_service.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "provider/json/json.h"

namespace kupen::test {
namespace {

using rapidjson::Document;
using rapidjson::Value;

// networks → network, os-keypairs → keypair
std::string EnvelopeOf(absl::string_view collection) {
  absl::ConsumePrefix(&collection, "os-");
  return std::string(collection.substr(0, collection.size() - 1));
}

http::Response Answer(int status, std::string body) {
  return {.status = status,
          .headers = {{"X-Openstack-Request-Id", "req-11111111-2222-4333-8444-555555555555"}},
          .body = std::move(body)};
}

http::Response NotFound() { return Answer(404, R"({"NeutronError":{"type":"NotFound","message":"not found","detail":""}})"); }

std::string Merged(const std::string& base, const Value& members) {
  Document object = *json::Parse(base);
  for (const auto& member : members.GetObject()) {
    json::Set(object, json::String(member.name), Value(member.value, object.GetAllocator()), object.GetAllocator());
  }
  return json::Write(object);
}

}  // namespace

void FakeService::SetShape(const std::string& collection, Shape shape) {
  const std::lock_guard guard(mutex_);
  shapes_[collection] = std::move(shape);
}

FakeService::Shape FakeService::ShapeOf(const std::string& collection) const {
  const auto found = shapes_.find(collection);
  return found == shapes_.end() ? Shape() : found->second;
}

http::Response FakeService::Wrapped(int status, const std::string& collection, const std::string& object) const {
  if (ShapeOf(collection).bare) return Answer(status, object);
  return Answer(status, absl::StrCat("{\"", EnvelopeOf(collection), "\":", object, "}"));
}

http::Response FakeService::Create(const std::string& collection, const std::string& text) {
  const Shape shape = ShapeOf(collection);
  const Document body = *json::Parse(text);
  const Value& given = shape.bare ? static_cast<const Value&>(body) : body[EnvelopeOf(collection).c_str()];
  std::map<std::string, std::string>& objects = objects_[collection];
  std::string id(json::String(given, {shape.id_key}));
  if (id.empty()) id = absl::StrFormat("10000000-0000-4000-8000-%012d", ++next_);
  if (objects.contains(id)) return Answer(409, R"({"conflictingRequest":{"message":"it already exists","code":409}})");
  const std::string base = defaults_.contains(collection) ? defaults_[collection] : "{}";
  objects[id] = Merged(Merged(base, given), *json::Parse(absl::StrCat("{\"", shape.id_key, "\":\"", id, "\"}")));
  return Wrapped(201, collection, objects[id]);
}

void FakeService::SetDefaults(const std::string& collection, const std::string& json) {
  const std::lock_guard guard(mutex_);
  defaults_[collection] = json;
}

void FakeService::set_before(Before before) {
  const std::lock_guard guard(mutex_);
  before_ = std::move(before);
}

void FakeService::set_after(After after) {
  const std::lock_guard guard(mutex_);
  after_ = std::move(after);
}

void FakeService::Put(const std::string& collection, const std::string& id, const std::string& text) {
  const std::lock_guard guard(mutex_);
  std::string& object = objects_[collection][id];
  const std::string base = object.empty() ? absl::StrCat("{\"id\":\"", id, "\"}") : object;
  object = Merged(base, *json::Parse(text));
}

void FakeService::Remove(const std::string& collection, const std::string& id) {
  const std::lock_guard guard(mutex_);
  objects_[collection].erase(id);
}

std::vector<std::string> FakeService::Ids(const std::string& collection) const {
  const std::lock_guard guard(mutex_);
  std::vector<std::string> ids;
  const auto found = objects_.find(collection);
  if (found == objects_.end()) return ids;
  for (const auto& [id, object] : found->second) ids.push_back(id);
  return ids;
}

Document FakeService::Get(const std::string& collection, const std::string& id) const {
  const std::lock_guard guard(mutex_);
  return *json::Parse(objects_.at(collection).at(id));
}

std::vector<std::string> FakeService::requests() const {
  const std::lock_guard guard(mutex_);
  return requests_;
}

void FakeService::ForgetRequests() {
  const std::lock_guard guard(mutex_);
  requests_.clear();
}

absl::StatusOr<http::Response> FakeService::Handle(const http::Request& request) {
  Before before;
  After after;
  {
    const std::lock_guard guard(mutex_);
    before = before_;
    after = after_;
  }
  if (before != nullptr) {
    if (std::optional<absl::StatusOr<http::Response>> answer = before(request)) return *answer;
  }
  http::Response response = Serve(request);
  if (after != nullptr) {
    if (std::optional<absl::StatusOr<http::Response>> answer = after(request)) return *answer;
  }
  return response;
}

http::Response FakeService::Serve(const http::Request& request) {
  const std::lock_guard guard(mutex_);
  const std::string path = request.target.substr(0, request.target.find('?'));
  std::vector<std::string> parts = absl::StrSplit(path, '/', absl::SkipEmpty());
  if (!parts.empty() && absl::StartsWith(parts[0], "v2")) parts.erase(parts.begin());
  if (parts.empty()) return Answer(200, R"({"version":{"min_version":"2.1","version":"2.96"}})");
  const std::string collection = parts[0];
  requests_.push_back(absl::StrCat(request.method, " /", collection, parts.size() > 2 ? "/" + parts[2] : ""));
  std::map<std::string, std::string>& objects = objects_[collection];
  if (parts.size() == 1 && request.method == "POST") return Create(collection, request.body);
  if (parts.size() == 1 || parts[1] == "detail") {
    std::string items;
    for (const auto& [id, object] : objects) absl::StrAppend(&items, items.empty() ? "" : ",", object);
    return Answer(200, absl::StrCat("{\"", EnvelopeOf(collection), "s\":[", items, "]}"));
  }
  const auto found = objects.find(parts[1]);
  if (found == objects.end()) return NotFound();
  if (request.method == "DELETE") {
    objects.erase(found);
    return Answer(204, "");
  }
  if (request.method == "PUT") {
    const Document body = *json::Parse(request.body);
    const Value& members = parts.size() > 2 ? static_cast<const Value&>(body) : body[EnvelopeOf(collection).c_str()];
    found->second = Merged(found->second, members);
    if (parts.size() > 2) return Answer(200, request.body);
  }
  return Wrapped(200, collection, found->second);
}

}  // namespace kupen::test
