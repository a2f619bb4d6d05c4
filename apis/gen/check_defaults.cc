#include "apis/gen/check_defaults.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "apis/gen/literals.h"
#include "apis/model/kinds.h"
#include "provider/json/json.h"

namespace kupen::apis {
namespace {

using ::google::protobuf::FieldDescriptor;

bool HasTypeOf(const rapidjson::Value& value, const FieldDescriptor& field) {
  if (field.is_map()) return value.IsObject();
  if (field.is_repeated()) return value.IsArray();
  switch (field.type()) {
    case FieldDescriptor::TYPE_STRING:
      return value.IsString();
    case FieldDescriptor::TYPE_BOOL:
      return value.IsBool();
    case FieldDescriptor::TYPE_INT64:
      return value.IsInt64();
    default:
      return value.IsObject();
  }
}

}  // namespace

void CheckDefault(const FieldDescriptor& field, Place place, Problems& problems) {
  const options::v1::Field& options = OptionsOf(field);
  if (options.default_().empty()) return;
  if (options.required()) problems.Add(field, "both required and with a default", "one of them");
  if (const absl::Status literal = ParseLiteral(options.default_()).status(); !literal.ok()) {
    problems.Add(field, absl::StrCat("default ", options.default_(), ": ", std::string(literal.message())),
                 "JSON text; strings have quotes: \"\\\"bare\\\"\"");
    return;
  }
  const rapidjson::Document value = *json::Parse(options.default_());
  if (!HasTypeOf(value, field)) {
    problems.Add(field, absl::StrCat("default ", options.default_()), absl::StrCat("a value of its type, ", field.type_name()));
    return;
  }
  const auto& values = options.values();
  if (!values.empty() && std::find(values.begin(), values.end(), json::String(value)) == values.end()) {
    problems.Add(field, absl::StrCat("default ", options.default_(), " is not among its values"),
                 absl::StrCat("one of ", absl::StrJoin(values, ", ")));
  }
  if (value.IsInt64() && (value.GetInt64() < options.min() || value.GetInt64() > options.max())) {
    problems.Add(field, absl::StrCat("default ", options.default_(), " is out of range"),
                 absl::StrCat(options.min(), " to ", options.max()));
  }
  // The provider fills in what is absent on the top of Parameters; inside a list item or an object nobody would.
  if (place == Place::kForProvider && field.containing_type()->name() != "Parameters") {
    problems.Add(field, "a default below the top of Parameters", "leave it to the cloud, or say it in the comment");
  }
}

}  // namespace kupen::apis
