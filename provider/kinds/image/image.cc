#include "provider/kinds/image/image.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/kinds/image/upload.h"

namespace kupen::kinds {
namespace {

using managed::HookChange;
using rapidjson::Value;

// A property of our own: the names of those that were set. What was dropped from the map can then be told from what is none of
// our business.
constexpr char kManagedProperties[] = "kupen_properties";

// Members of an image that are no properties.
constexpr std::array<absl::string_view, 26> kOwnMembers = {"checksum",     "container_format",
                                                           "created_at",   "direct_url",
                                                           "disk_format",  "file",
                                                           "id",           "locations",
                                                           "min_disk",     "min_ram",
                                                           "name",         "os_hidden",
                                                           "owner",        "protected",
                                                           "schema",       "self",
                                                           "size",         "status",
                                                           "stores",       "tags",
                                                           "updated_at",   "visibility",
                                                           "os_hash_algo", "os_hash_value",
                                                           "virtual_size", kManagedProperties};
constexpr absl::string_view kReservedPrefix = "os_glance_";

bool IsProperty(absl::string_view name) {
  return !absl::StartsWith(name, kReservedPrefix) &&
         std::find(kOwnMembers.begin(), kOwnMembers.end(), name) == kOwnMembers.end();
}

using Properties = std::map<absl::string_view, absl::string_view>;

// Nothing if the user does not manage them.
std::optional<Properties> WantedProperties(const Value& parameters) {
  const Value* map = json::Find(parameters, {"properties"});
  if (map == nullptr || !map->IsObject()) return std::nullopt;
  Properties properties;
  for (const auto& member : map->GetObject()) {
    properties.emplace(json::String(member.name), json::String(member.value));
  }
  return properties;
}

std::string NamesOf(const Properties& properties) {
  return absl::StrJoin(properties, ",", [](std::string* out, const auto& property) { absl::StrAppend(out, property.first); });
}

// The last word about a property: a text, or nothing if it goes.
HookChange Change(absl::string_view name, std::optional<absl::string_view> wanted, const Value* seen,
                  schema::Allocator& allocator) {
  const absl::string_view before = seen == nullptr ? "none" : json::String(*seen);
  return {.member = std::string(name),
          .wanted = wanted.has_value() ? json::Text(*wanted, allocator) : Value(),
          .text = absl::StrCat("properties.", name, ": ", before, " → ", wanted.value_or("none"))};
}

ImageSource SourceOf(const Value& parameters) {
  return {.url = std::string(json::String(parameters, {"source", "url"})),
          .algorithm = std::string(json::String(parameters, {"source", "checksum", "algorithm"})),
          .checksum = std::string(json::String(parameters, {"source", "checksum", "value"}))};
}

}  // namespace

absl::Status ImageHooks::PrepareCreate(const managed::HookContext& /*context*/, const Value& parameters,
                                       managed::CreateRequest& request, schema::Allocator& allocator) const {
  const std::optional<Properties> properties = WantedProperties(parameters);
  if (!properties.has_value() || properties->empty()) return absl::OkStatus();
  for (const auto& [name, value] : *properties) {
    if (!IsProperty(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("properties.", name, ": glance keeps that for itself; what can be set of it is a field of forProvider"));
    }
    json::Set(request.object, name, value, allocator);
  }
  json::Set(request.object, kManagedProperties, NamesOf(*properties), allocator);
  return absl::OkStatus();
}

absl::Status ImageHooks::Advance(const managed::HookContext& context, const std::string& id, const Value& parameters,
                                 const Value& object) {
  const ImageSource source = SourceOf(parameters);
  if (json::String(object, {"status"}) != "queued" || source.url.empty()) return absl::OkStatus();
  return uploads_.Advance(
      context.uid, absl::StrJoin({id, source.url, source.algorithm, source.checksum}, " "),
      [session = context.session, id, source, options = source_](const std::stop_token& stop) {
        return UploadImage(*session, id, source, options, stop);
      },
      context.wake);
}

void ImageHooks::Observe(const Value& object, Value& observation, schema::Allocator& allocator) const {
  const absl::string_view hash = json::String(object, {"os_hash_value"});
  if (hash.empty()) return;
  json::Set(observation, "hash", absl::StrCat(json::String(object, {"os_hash_algo"}), ":", hash), allocator);
}

std::vector<HookChange> ImageHooks::Diff(const Value& parameters, const Value& object, schema::Allocator& allocator) const {
  std::vector<HookChange> changes;
  const std::optional<Properties> wanted = WantedProperties(parameters);
  if (!wanted.has_value()) return changes;
  for (const auto& [name, value] : *wanted) {
    const Value* seen = json::Find(object, {name});
    if (IsProperty(name) && (seen == nullptr || json::String(*seen) != value)) {
      changes.push_back(Change(name, value, seen, allocator));
    }
  }
  const absl::string_view before = json::String(object, {kManagedProperties});
  for (const absl::string_view name : absl::StrSplit(before, ',', absl::SkipEmpty())) {
    const Value* seen = json::Find(object, {name});
    if (IsProperty(name) && seen != nullptr && !wanted->contains(name)) {
      changes.push_back(Change(name, std::nullopt, seen, allocator));
    }
  }
  if (const std::string names = NamesOf(*wanted); names != before) {
    changes.push_back({.member = kManagedProperties,
                       .wanted = names.empty() ? Value() : json::Text(names, allocator),
                       .text = absl::StrCat("properties to manage: ", names.empty() ? "none" : names)});
  }
  return changes;
}

}  // namespace kupen::kinds
