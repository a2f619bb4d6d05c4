#include "apis/gen/crd.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "apis/gen/comments.h"
#include "apis/gen/managed.h"
#include "apis/gen/rules.h"
#include "apis/gen/schema.h"

namespace kupen::apis {
namespace {

Yaml Column(absl::string_view name, absl::string_view type, absl::string_view path, bool wide = false) {
  Yaml column = Yaml::Map({{"name", name}, {"type", type}, {"jsonPath", path}});
  if (wide) column.Set("priority", 1);
  return column;
}

Yaml Columns(const Kind& kind) {
  Yaml columns = Yaml::List();
  columns.Add(Column("READY", "string", ".status.conditions[?(@.type=='Ready')].status"));
  if (kind.managed()) columns.Add(Column("SYNCED", "string", ".status.conditions[?(@.type=='Synced')].status"));
  for (const auto& own : kind.options.columns()) columns.Add(Column(own.name(), "string", own.path(), own.wide()));
  if (kind.managed()) {
    columns.Add(Column("EXTERNAL-NAME", "string", ".metadata.annotations.crossplane\\.io/external-name"));
  }
  columns.Add(Column("AGE", "date", ".metadata.creationTimestamp"));
  return columns;
}

Yaml Names(const Kind& kind) {
  Yaml categories = Yaml::List({"crossplane"});
  if (kind.managed()) categories.Add("managed");
  categories.Add("kupenstack");
  Yaml names = Yaml::Map({{"kind", kind.name}, {"listKind", absl::StrCat(kind.name, "List")}});
  names.Set("plural", kind.plural).Set("singular", absl::AsciiStrToLower(kind.name)).Set("categories", std::move(categories));
  if (kind.options.short_names_size() > 0) {
    Yaml short_names = Yaml::List();
    for (const std::string& name : kind.options.short_names()) short_names.Add(name);
    names.Set("shortNames", std::move(short_names));
  }
  return names;
}

// status of a kind that configures the provider: what it says itself, and conditions.
Yaml ConfigStatus(const Kind& kind) {
  Yaml properties = Yaml::Map({{"conditions", Conditions()}});
  properties.Set("observedGeneration", Yaml::Map({{"description", "The metadata.generation that this status speaks of."},
                                                  {"type", "integer"},
                                                  {"format", "int64"}}));
  Yaml schema = ObjectSchema(*kind.status, Place::kStatus);
  if (const Yaml* own = schema.Find("properties")) properties.Merge(*own);
  return std::move(schema.Set("properties", std::move(properties)));
}

Yaml RootSchema(const Kind& kind) {
  Yaml spec = kind.managed() ? ManagedSpec(kind) : ObjectSchema(*kind.spec, Place::kSpec);
  Yaml status = kind.managed() ? ManagedStatus(kind) : ConfigStatus(kind);
  Yaml properties = Yaml::Map({{"apiVersion", Yaml::Map({{"type", "string"}})}, {"kind", Yaml::Map({{"type", "string"}})}});
  properties.Set("metadata", Yaml::Map({{"type", "object"}})).Set("spec", std::move(spec)).Set("status", std::move(status));

  Yaml schema = Yaml::Map({{"description", Description(*kind.message)}, {"type", "object"}});
  schema.Set("required", Yaml::List({"spec"})).Set("properties", std::move(properties));
  if (kind.managed()) {
    if (Yaml rules = ImmutableRules(kind); !rules.empty()) schema.Set("x-kubernetes-validations", std::move(rules));
  }
  return schema;
}

}  // namespace

Yaml Crd(const Kind& kind) {
  Yaml version = Yaml::Map({{"name", kind.version}, {"served", true}, {"storage", true}});
  version.Set("subresources", Yaml::Map({{"status", Yaml::Map()}}));
  version.Set("additionalPrinterColumns", Columns(kind));
  version.Set("schema", Yaml::Map({{"openAPIV3Schema", RootSchema(kind)}}));

  Yaml spec = Yaml::Map({{"group", kind.group}, {"names", Names(kind)}});
  spec.Set("scope", kind.options.cluster_scoped() ? "Cluster" : "Namespaced").Set("versions", Yaml::List({std::move(version)}));

  Yaml crd = Yaml::Map({{"apiVersion", "apiextensions.k8s.io/v1"}, {"kind", "CustomResourceDefinition"}});
  crd.Set("metadata", Yaml::Map({{"name", absl::StrCat(kind.plural, ".", kind.group)}}));
  return std::move(crd.Set("spec", std::move(spec)));
}

std::string CrdFileName(const Kind& kind) { return absl::StrCat(kind.group, "_", kind.plural, ".yaml"); }

}  // namespace kupen::apis
