#include "provider/managed/created_with.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <map>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "provider/json/json.h"
#include "provider/schema/codec.h"

namespace kupen::managed {
namespace {

using rapidjson::Value;

constexpr size_t kDigestBytes = 4;
// No field is called that.
constexpr char kRoles[] = "@roles";

std::string DigestOf(const schema::FieldPlan& field, const Value& value) {
  rapidjson::Document scratch;
  // As the service would get it: whether an id was given as such or by a reference makes no difference.
  Value sent = schema::EncodeValue(field, value, scratch.GetAllocator());
  if (sent.IsArray() && field.options.unordered()) {
    std::sort(sent.Begin(), sent.End(), [](const Value& a, const Value& b) { return json::Write(a) < json::Write(b); });
  }
  return Digest(json::Write(sent));
}

std::map<std::string, std::string> Digests(const schema::MessagePlan& plan, const Value& parameters) {
  std::map<std::string, std::string> digests;
  for (const schema::FieldPlan& field : plan.fields) {
    if (!field.options.immutable() && !field.options.replaces()) continue;
    const Value* value = json::Find(parameters, {field.json});
    if (value != nullptr && !json::IsEmpty(*value)) digests[field.json] = DigestOf(field, *value);
  }
  return digests;
}

}  // namespace

std::string Digest(absl::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(hash.data()), kDigestBytes));
}

std::string CreatedWith(const schema::MessagePlan& plan, const Value& parameters, absl::string_view roles) {
  std::vector<std::string> parts;
  for (const auto& [field, digest] : Digests(plan, parameters)) parts.push_back(absl::StrCat(field, "=", digest));
  if (!roles.empty()) parts.push_back(absl::StrCat(kRoles, "=", roles));
  // Not empty: that is what an imported object has.
  return parts.empty() ? "none" : absl::StrJoin(parts, ",");
}

std::string RolesCreatedWith(absl::string_view created_with) {
  const std::map<std::string, std::string> then = absl::StrSplit(created_with, absl::ByAnyChar(",="), absl::SkipEmpty());
  const auto roles = then.find(kRoles);
  return roles == then.end() ? "" : roles->second;
}

std::vector<const schema::FieldPlan*> ChangedSince(absl::string_view created_with, const schema::MessagePlan& plan,
                                                   const Value& parameters) {
  if (created_with.empty()) return {};
  const std::map<std::string, std::string> then = absl::StrSplit(created_with, absl::ByAnyChar(",="), absl::SkipEmpty());
  const std::map<std::string, std::string> now = Digests(plan, parameters);
  std::vector<const schema::FieldPlan*> changed;
  for (const schema::FieldPlan& field : plan.fields) {
    const auto wanted = now.find(field.json);
    if (wanted == now.end()) continue;
    const auto had = then.find(field.json);
    if (had == then.end() || had->second != wanted->second) changed.push_back(&field);
  }
  return changed;
}

}  // namespace kupen::managed
