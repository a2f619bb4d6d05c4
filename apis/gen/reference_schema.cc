#include "apis/gen/reference_schema.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "apis/gen/schema.h"
#include "apis/model/kinds.h"

namespace kupen::apis {
namespace {

using ::google::protobuf::FieldDescriptor;

constexpr int kNameLength = 253;  // of a Kubernetes object
constexpr int kCloudNameLength = 255;

// As crossplane-runtime has it.
Yaml PolicySchema(bool brief) {
  Yaml resolve = Yaml::Map({{"type", "string"}, {"enum", Yaml::List({"IfNotPresent", "Always"})}});
  Yaml resolution = Yaml::Map({{"type", "string"}, {"enum", Yaml::List({"Required", "Optional"})}});
  if (!brief) {
    resolve.Set("description", "IfNotPresent, the default, keeps what was found. Always looks it up each time.");
    resolution.Set("description", "Required, the default, waits for it. Optional goes without what is not there.");
  }
  return Yaml::Map({{"type", "object"},
                    {"properties", Yaml::Map({{"resolve", std::move(resolve)}, {"resolution", std::move(resolution)}})}});
}

Yaml RefSchema(bool brief) {
  return Yaml::Map({{"type", "object"},
                    {"required", Yaml::List({"name"})},
                    {"properties", Yaml::Map({{"name", TextSchema(kNameLength)}, {"policy", PolicySchema(brief)}})}});
}

Yaml SelectorSchema(bool brief) {
  Yaml labels = Yaml::Map({{"type", "object"}, {"maxProperties", 16}});
  labels.Set("additionalProperties", Yaml::Map({{"type", "string"}, {"maxLength", 63}}));
  Yaml schema = Yaml::Map({{"type", "object"}});
  schema.Set("properties", Yaml::Map({{"matchLabels", std::move(labels)},
                                      {"matchControllerRef", Yaml::Map({{"type", "boolean"}})},
                                      {"policy", PolicySchema(brief)}}));
  return schema.Set("x-kubernetes-validations", Yaml::List({RuleSchema("has(self.matchLabels) || has(self.matchControllerRef)",
                                                                       "needs matchLabels or matchControllerRef")}));
}

Yaml ListOf(Yaml items, const FieldDescriptor& field, Yaml type) {
  Yaml schema = Yaml::Map({{"type", "array"}, {"maxItems", OptionsOf(field).max_items()}});
  return schema.Set("items", std::move(items)).Set("x-kubernetes-list-type", std::move(type));
}

void AddNames(const FieldDescriptor& field, const ReferenceMembers& members, bool brief, Yaml& properties) {
  Yaml name = TextSchema(kCloudNameLength);
  if (field.is_repeated()) name = ListOf(std::move(name), field, "set");
  if (!brief) {
    name.Set("description", absl::StrCat("For ", members.id, ": the exact name of something that the cloud already has. ",
                                         "It must be the only one of that name that the credentials can see."));
  }
  properties.Set(members.name, std::move(name));
}

void AddRefs(const FieldDescriptor& field, const ReferenceMembers& members, bool brief, Yaml& properties) {
  const std::string kind = OptionsOf(field).refers_to().kind();
  Yaml ref = RefSchema(brief);
  Yaml selector = SelectorSchema(brief);
  if (field.is_repeated()) {
    ref = ListOf(std::move(ref), field, "map").Set("x-kubernetes-list-map-keys", Yaml::List({"name"}));
  }
  if (!brief) {
    ref.Set("description", absl::StrCat("For ", members.id, ": a ", kind, " in the same namespace, by its metadata.name."));
    selector.Set("description", absl::StrCat("For ", members.id, ": ", field.is_repeated() ? "every " : "the first ", kind,
                                             " in the same namespace with these labels; with matchControllerRef: true only ",
                                             "those that the same object controls. Kept once it was found."));
  }
  properties.Set(members.ref, std::move(ref));
  properties.Set(members.selector, std::move(selector));
}

}  // namespace

void AddReferenceMembers(const FieldDescriptor& field, const ReferenceMembers& members, bool brief, Yaml& properties,
                         Yaml& rules) {
  if (!members.ref.empty()) AddRefs(field, members, brief, properties);
  if (!members.name.empty()) AddNames(field, members, brief, properties);
  const std::vector<std::string> all = members.all();
  // In a list they add up.
  if (field.is_repeated() || all.size() < 2) return;
  const std::string given = absl::StrJoin(
      all, ", ", [](std::string* out, const std::string& member) { absl::StrAppend(out, "has(self.", member, ")"); });
  // On the top of Parameters another rule says what is required: it knows about observing.
  const bool required = OptionsOf(field).required() && field.containing_type()->name() != "Parameters";
  rules.Add(RuleSchema(absl::StrCat("[", given, "].filter(given, given).size() ", required ? "==" : "<=", " 1"),
                       absl::StrCat(required ? "exactly one of " : "only one of ", absl::StrJoin(all, ", "),
                                    required ? " must be set" : " may be set")));
}

}  // namespace kupen::apis
