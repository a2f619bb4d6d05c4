#include "apis/gen/literals.h"

#include <utility>

#include "absl/status/status.h"
#include "provider/base/status.h"
#include "provider/json/json.h"

namespace kupen::apis {
namespace {

absl::StatusOr<Yaml> Convert(const rapidjson::Value& value) {
  if (value.IsString()) return Yaml(json::String(value));
  if (value.IsBool()) return Yaml(value.GetBool());
  if (value.IsInt64()) return Yaml(static_cast<int64_t>(value.GetInt64()));
  if (value.IsArray()) {
    Yaml list = Yaml::List();
    for (const auto& item : value.GetArray()) {
      ASSIGN_OR_RETURN(Yaml converted, Convert(item));
      list.Add(std::move(converted));
    }
    return list;
  }
  if (value.IsObject()) {
    Yaml map = Yaml::Map();
    for (const auto& member : value.GetObject()) {
      ASSIGN_OR_RETURN(Yaml converted, Convert(member.value));
      map.Set(json::String(member.name), std::move(converted));
    }
    return map;
  }
  return absl::InvalidArgumentError("null and fractions cannot be defaults");
}

}  // namespace

absl::StatusOr<Yaml> ParseLiteral(absl::string_view json) {
  ASSIGN_OR_RETURN(const rapidjson::Document document, json::Parse(json));
  return Convert(document);
}

}  // namespace kupen::apis
