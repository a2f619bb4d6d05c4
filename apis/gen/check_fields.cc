#include "apis/gen/check_fields.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "apis/gen/check_defaults.h"
#include "apis/gen/formats.h"
#include "apis/gen/names.h"
#include "apis/model/references.h"

namespace kupen::apis {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;

class FieldChecker {
 public:
  FieldChecker(const Kinds& kinds, Place place, Problems& problems) : kinds_(kinds), place_(place), problems_(problems) {}

  void Message(const Descriptor& message, std::vector<const Descriptor*> around) {
    Rules(message);
    around.push_back(&message);
    std::set<std::string> members;
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& field = *message.field(i);
      Field(field, /*top=*/around.size() == 1);
      const auto references = ReferenceMembersOf(field);
      for (const std::string& member : references ? references->all() : std::vector<std::string>{field.json_name()}) {
        if (!members.insert(member).second) {
          problems_.Add(field, absl::StrCat("the CRD would have ", member, " twice"), "rename one of the fields");
        }
      }
      const Descriptor* inner = field.is_map() ? nullptr : field.message_type();
      if (inner == nullptr) continue;
      if (std::find(around.begin(), around.end(), inner) != around.end()) {
        problems_.Add(field, absl::StrCat("recursion: ", inner->name(), " contains itself"),
                      "a CRD's schema must end somewhere");
      } else {
        Message(*inner, around);
      }
    }
  }

 private:
  bool input() const { return place_ == Place::kForProvider || place_ == Place::kSpec; }

  void Rules(const Descriptor& message) {
    for (int i = 0; i < message.options().ExtensionSize(options::v1::rule); ++i) {
      const options::v1::Rule& rule = message.options().GetExtension(options::v1::rule, i);
      if (rule.rule().empty() || rule.message().empty()) {
        problems_.Add(message, "a rule without its message, or a message without its rule", "both");
      }
      if (rule.unless_observed() && message.name() != "Parameters") {
        problems_.Add(message, "a rule with unless_observed", "only Parameters has such rules");
      }
      if (!input()) problems_.Add(message, "a rule in what is observed", "remove it: the cloud is as it is");
    }
  }

  void Field(const FieldDescriptor& field, bool top) {
    if (Description(field).empty()) problems_.Add(field, "no comment", "the comment above it is its description in the CRD");
    Names(field, top);
    if (!Type(field)) return;
    if (input()) {
      Limits(field);
      Applies(field, top);
      Reference(field);
      CheckDefault(field, place_, problems_);
    } else {
      Observed(field);
    }
    if (field.is_repeated() && OptionsOf(field).max_items() <= 0) {
      problems_.Add(field, "a list or map without a maximum", "add max_items");
    }
    Key(field);
  }

  void Names(const FieldDescriptor& field, bool top) {
    if (const std::string json = JsonName(field.name()); field.json_name() != json) {
      problems_.Add(field, absl::StrCat("is ", field.json_name(), " in the CRD"),
                    absl::StrCat("write json_name = \"", json, "\""));
    }
    if (IsReservedName(field.name()) || (place_ == Place::kAtProvider && top && field.name() == "id")) {
      problems_.Add(field, "a reserved name",
                    field.name() == "id" ? "the generator adds status.atProvider.id to every kind"
                                         : "choose one that is no member of protobuf's classes");
    }
  }

  bool Type(const FieldDescriptor& field) {
    const FieldDescriptor& value = field.is_map() ? *field.message_type()->map_value() : field;
    switch (value.type()) {
      case FieldDescriptor::TYPE_STRING:
      case FieldDescriptor::TYPE_BOOL:
      case FieldDescriptor::TYPE_INT64:
      case FieldDescriptor::TYPE_MESSAGE:
        break;
      default:
        problems_.Add(field, absl::StrCat("type ", value.type_name()),
                      "string (with `values` for an enum), bool, int64, a message, a list of these or a map<string, …>");
        return false;
    }
    if (field.is_map() && field.message_type()->map_key()->type() != FieldDescriptor::TYPE_STRING) {
      problems_.Add(field, "a map whose keys are no strings", "map<string, …>");
      return false;
    }
    if (field.real_containing_oneof() != nullptr) {
      problems_.Add(field, "part of a oneof", "separate fields and a rule");
      return false;
    }
    if (input() && !field.is_repeated() && !field.has_presence()) {
      problems_.Add(field, "a scalar that cannot be absent", "write `optional` before its type");
    }
    return true;
  }

  void Limits(const FieldDescriptor& field) {
    const options::v1::Field& options = OptionsOf(field);
    const FieldDescriptor& value = field.is_map() ? *field.message_type()->map_value() : field;
    const bool text = value.type() == FieldDescriptor::TYPE_STRING;
    const auto format = FindFormat(options.format());
    if (!options.format().empty() && !format.has_value()) {
      problems_.Add(field, absl::StrCat("unknown format ", options.format()), absl::StrCat("one of ", FormatNames()));
    } else if (text && options.max_length() <= 0 && options.values().empty() && (!format || format->max_length == 0)) {
      problems_.Add(field, "a string without a maximum", "add max_length, values, or a format that has one");
    }
    const bool number = value.type() == FieldDescriptor::TYPE_INT64;
    if (number && !(options.has_min() && options.has_max())) {
      problems_.Add(field, "a number without limits", "add min and max");
    } else if (number && options.min() > options.max()) {
      problems_.Add(field, absl::StrCat("min ", options.min(), " is above max ", options.max()), "min <= max");
    }
    if (!number && (options.has_min() || options.has_max()))
      problems_.Add(field, "min or max of what is no number", "max_length, max_items");
    const bool for_text =
        options.max_length() > 0 || !options.pattern().empty() || !options.format().empty() || options.values_size() > 0;
    if (!text && for_text)
      problems_.Add(field, "an option for strings", "max_length, pattern, format and values are for strings only");
  }

  // Options that mean something only in some places.
  void Applies(const FieldDescriptor& field, bool top) {
    const options::v1::Field& options = OptionsOf(field);
    const bool parameter = top && place_ == Place::kForProvider;
    if (!parameter && (options.immutable() || options.replaces())) {
      problems_.Add(field, "immutable or replaces below the top of Parameters",
                    "say it of the field of Parameters that contains this one");
    }
    if (!parameter && (options.late_init() || options.clear_when_empty() || options.has_subresource())) {
      problems_.Add(field, "late_init, clear_when_empty or subresource below the top of Parameters",
                    "these are for fields of Parameters");
    }
    if (options.immutable() && options.replaces()) problems_.Add(field, "both immutable and replaces", "one of them");
    const auto format = FindFormat(options.format());
    const bool text = field.type() == FieldDescriptor::TYPE_STRING && options.values().empty() && !(format && format->openapi);
    if (options.clear_when_empty() && !field.is_repeated() && !text) {
      problems_.Add(field, "clear_when_empty of what cannot be empty",
                    "lists, maps, and strings without values or an OpenAPI format");
    }
    if (options.unordered() && !field.is_repeated()) problems_.Add(field, "unordered of what is no list", "remove it");
    if (options.has_subresource() && options.subresource().path().empty())
      problems_.Add(field, "a subresource without a path", "path: \"tags\"");
    for (const auto& rule : options.cel()) {
      if (rule.rule().empty() || rule.message().empty())
        problems_.Add(field, "a rule without its message, or a message without its rule", "both");
    }
  }

  void Reference(const FieldDescriptor& field) {
    const options::v1::Field& options = OptionsOf(field);
    if (!options.has_refers_to()) return;
    const options::v1::Reference& to = options.refers_to();
    if (to.kind().empty() == !to.has_collection()) {
      problems_.Add(field, "refers_to needs a kind or a collection", "refers_to: { kind: \"network.Network\" }");
    }
    if (!to.kind().empty() && kinds_.Find(to.kind()) == nullptr) {
      problems_.Add(field, absl::StrCat("refers to unknown kind ", to.kind()), absl::StrCat("one of ", ManagedKinds()));
    }
    if (to.has_collection() &&
        (to.collection().service().empty() || to.collection().path().empty() || to.collection().list_envelope().empty())) {
      problems_.Add(field, "refers to a collection that cannot be listed", "service, path and list_envelope");
    }
    if (!ReferenceMembersOf(field)) {
      problems_.Add(field, "refers to something, but its name does not say how",
                    "a name ending with _id, _ids for a list, or _name");
    }
    if (field.is_repeated() && !options.unordered()) {
      problems_.Add(field, "an ordered list of references", "unordered: true, since ids, Refs and Names add up");
    }
  }

  void Observed(const FieldDescriptor& field) {
    options::v1::Field rest = OptionsOf(field);
    rest.clear_wire();
    rest.clear_max_items();
    rest.clear_unordered();
    rest.clear_key();
    rest.clear_sensitive();
    if (rest.ByteSizeLong() > 0) {
      problems_.Add(field, "an option that means nothing in what is observed", "wire, max_items, unordered, key, sensitive");
    }
  }

  void Key(const FieldDescriptor& field) {
    const options::v1::Field& options = OptionsOf(field);
    if (options.key().empty()) return;
    const bool list_of_messages = field.is_repeated() && !field.is_map() && field.message_type() != nullptr;
    const FieldDescriptor* key = list_of_messages ? field.message_type()->FindFieldByName(options.key()) : nullptr;
    if (key == nullptr || (input() && !OptionsOf(*key).required())) {
      problems_.Add(field, absl::StrCat("key ", options.key()), "a list of messages, and a required field of theirs");
    }
  }

  std::string ManagedKinds() const {
    std::vector<std::string> names;
    for (const Kind& kind : kinds_.all()) {
      if (kind.managed()) names.push_back(kind.reference());
    }
    return absl::StrJoin(names, ", ");
  }

  const Kinds& kinds_;
  const Place place_;
  Problems& problems_;
};

}  // namespace

void CheckFields(const Kinds& kinds, const Descriptor& message, Place place, Problems& problems) {
  FieldChecker(kinds, place, problems).Message(message, {});
}

}  // namespace kupen::apis
