#include "apis/gen/schema.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apis/gen/comments.h"
#include "apis/gen/formats.h"
#include "apis/gen/literals.h"
#include "apis/gen/reference_schema.h"
#include "apis/model/kinds.h"
#include "apis/model/references.h"

namespace kupen::apis {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;

bool IsInput(Place place) { return place != Place::kAtProvider && place != Place::kStatus; }

// The author's words, and what the options mean to the user.
std::string FieldDescription(const FieldDescriptor& field, Place place) {
  const options::v1::Field& options = OptionsOf(field);
  std::string text = Description(field);
  if (place != Place::kForProvider) return text;
  if (!options.default_().empty()) absl::StrAppend(&text, " Default when created: ", options.default_(), ".");
  if (options.immutable()) absl::StrAppend(&text, " Cannot be changed once the object exists in the cloud.");
  if (options.replaces())
    absl::StrAppend(&text, " A change replaces the object in the cloud, if spec.replacePolicy allows it.");
  return text;
}

Yaml StringSchema(const FieldDescriptor& field, Place place) {
  const options::v1::Field& options = OptionsOf(field);
  Yaml schema = Yaml::Map({{"type", "string"}});
  if (!IsInput(place)) return schema;
  if (options.values_size() > 0) {
    Yaml values = Yaml::List();
    for (const std::string& value : options.values()) values.Add(value);
    return schema.Set("enum", std::move(values));
  }
  const std::optional<Format> format = FindFormat(options.format());
  if (format.has_value() && format->openapi) schema.Set("format", options.format());
  if (options.required()) schema.Set("minLength", 1);
  schema.Set("maxLength", options.max_length() > 0 ? options.max_length() : format.value_or(Format()).max_length);
  if (!options.pattern().empty()) schema.Set("pattern", options.pattern());
  return schema;
}

Yaml IntegerSchema(const FieldDescriptor& field, Place place) {
  const options::v1::Field& options = OptionsOf(field);
  Yaml schema = Yaml::Map({{"type", "integer"}, {"format", "int64"}});
  if (!IsInput(place)) return schema;
  if (options.has_min()) schema.Set("minimum", options.min());
  if (options.has_max()) schema.Set("maximum", options.max());
  return schema;
}

// One value: the field itself, or an item of a list or map.
Yaml ValueSchema(const FieldDescriptor& field, const FieldDescriptor& type, Place place) {
  switch (type.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return ObjectSchema(*type.message_type(), place);
    case FieldDescriptor::CPPTYPE_BOOL:
      return Yaml::Map({{"type", "boolean"}});
    case FieldDescriptor::CPPTYPE_INT64:
      return IntegerSchema(field, place);
    default:
      return StringSchema(field, place);
  }
}

// The rules that one value must meet.
Yaml ValueRules(const FieldDescriptor& field, Place place) {
  Yaml rules = Yaml::List();
  if (!IsInput(place)) return rules;
  const options::v1::Field& options = OptionsOf(field);
  if (const std::optional<Format> format = FindFormat(options.format()); format.has_value() && !format->rule.empty()) {
    rules.Add(RuleSchema(absl::StrCat(options.clear_when_empty() && !field.is_repeated() ? "self == '' || " : "", format->rule),
                         format->message));
  }
  return rules;
}

Yaml ListSchema(const FieldDescriptor& field, Place place) {
  const options::v1::Field& options = OptionsOf(field);
  const bool scalar = field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE;
  Yaml items = ValueSchema(field, field, place);
  if (Yaml rules = ValueRules(field, place); !rules.empty()) items.Set("x-kubernetes-validations", std::move(rules));
  const std::string key = options.key().empty() ? "" : field.message_type()->FindFieldByName(options.key())->json_name();
  // The API server wants every item to have its key, also where users write nothing.
  if (!key.empty() && !IsInput(place)) items.Set("required", Yaml::List({key}));
  Yaml schema = Yaml::Map({{"type", "array"}});
  if (options.required() && IsInput(place)) schema.Set("minItems", 1);
  schema.Set("maxItems", options.max_items()).Set("items", std::move(items));
  if (!key.empty()) {
    schema.Set("x-kubernetes-list-type", "map").Set("x-kubernetes-list-map-keys", Yaml::List({key}));
  } else {
    schema.Set("x-kubernetes-list-type", options.unordered() && scalar ? "set" : "atomic");
  }
  return schema;
}

Yaml MapSchema(const FieldDescriptor& field, Place place) {
  Yaml schema = Yaml::Map({{"type", "object"}});
  schema.Set("maxProperties", OptionsOf(field).max_items());
  schema.Set("additionalProperties", ValueSchema(field, *field.message_type()->map_value(), place));
  return schema;
}

Yaml FieldSchema(const FieldDescriptor& field, Place place) {
  Yaml schema = field.is_map()        ? MapSchema(field, place)
                : field.is_repeated() ? ListSchema(field, place)
                                      : ValueSchema(field, field, place);
  if (place != Place::kInitProvider) schema.Set("description", FieldDescription(field, place));
  if (!IsInput(place)) return schema;

  const options::v1::Field& options = OptionsOf(field);
  if (place == Place::kSpec && !options.default_().empty()) schema.Set("default", ParseLiteral(options.default_()).value());
  Yaml rules = field.is_repeated() ? Yaml::List() : ValueRules(field, place);
  for (const auto& rule : options.cel()) rules.Add(RuleSchema(rule.rule(), rule.message()));
  if (!rules.empty()) schema.Set("x-kubernetes-validations", std::move(rules));
  return schema;
}

// Whether the schema itself may insist on the field. On the top of Parameters a rule does, which knows about observing.
bool SchemaRequires(const FieldDescriptor& field, Place place) {
  const bool parameters = field.containing_type()->name() == "Parameters";
  return IsInput(place) && OptionsOf(field).required() && !parameters && !OptionsOf(field).has_refers_to();
}

}  // namespace

Yaml ObjectSchema(const Descriptor& message, Place place) {
  Yaml properties = Yaml::Map();
  Yaml required = Yaml::List();
  Yaml rules = Yaml::List();
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    properties.Set(field.json_name(), FieldSchema(field, place));
    if (SchemaRequires(field, place)) required.Add(field.json_name());
    if (const auto members = ReferenceMembersOf(field); members.has_value() && IsInput(place)) {
      AddReferenceMembers(field, *members, place == Place::kInitProvider, properties, rules);
    }
  }
  // Rules between fields hold for what a user says in one place; initProvider alone may be half of it.
  if (IsInput(place) && place != Place::kInitProvider) {
    for (int i = 0; i < message.options().ExtensionSize(options::v1::rule); ++i) {
      const options::v1::Rule& rule = message.options().GetExtension(options::v1::rule, i);
      if (!rule.unless_observed()) rules.Add(RuleSchema(rule.rule(), rule.message()));
    }
  }

  Yaml schema = Yaml::Map({{"type", "object"}});
  if (!required.empty()) schema.Set("required", std::move(required));
  if (!properties.empty()) schema.Set("properties", std::move(properties));
  if (!rules.empty()) schema.Set("x-kubernetes-validations", std::move(rules));
  return schema;
}

Yaml TextSchema(int64_t max_length) { return Yaml::Map({{"type", "string"}, {"minLength", 1}, {"maxLength", max_length}}); }

Yaml RuleSchema(absl::string_view rule, absl::string_view message) { return Yaml::Map({{"rule", rule}, {"message", message}}); }

}  // namespace kupen::apis
