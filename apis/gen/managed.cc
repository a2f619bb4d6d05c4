#include "apis/gen/managed.h"

#include <utility>
#include <vector>

#include "apis/gen/rules.h"
#include "apis/gen/schema.h"

namespace kupen::apis {
namespace {

Yaml Described(Yaml schema, absl::string_view description) { return std::move(schema.Set("description", description)); }

Yaml Scalar(absl::string_view type, absl::string_view description) {
  return Yaml::Map({{"description", description}, {"type", type}});
}

Yaml Integer(absl::string_view description) { return std::move(Scalar("integer", description).Set("format", "int64")); }

Yaml Choice(std::vector<Yaml> values) { return Yaml::Map({{"type", "string"}, {"enum", Yaml::List(std::move(values))}}); }

Yaml ManagementPolicies() {
  Yaml schema = Yaml::Map({{"type", "array"}});
  schema.Set(
      "description",
      "What the provider may do with the object in the cloud: everything (*), or some of Observe, Create, Update, Delete and "
      "LateInitialize. An empty list pauses. An object that only observes finds its twin by the external-name annotation, or "
      "else by those parameters of forProvider that are set: exactly one must match.");
  schema.Set("default", Yaml::List({"*"}));
  schema.Set("maxItems", 6);
  return schema.Set("items", Choice({"Observe", "Create", "Update", "Delete", "LateInitialize", "*"}));
}

Yaml ProviderConfigRef() {
  Yaml schema = Yaml::Map({{"type", "object"}});
  schema.Set("description", "Which cloud, and whose credentials.");
  schema.Set("default", Yaml::Map({{"kind", "ClusterProviderConfig"}, {"name", "default"}}));
  schema.Set("required", Yaml::List({"kind", "name"}));
  return schema.Set("properties",
                    Yaml::Map({{"kind", Choice({"ProviderConfig", "ClusterProviderConfig"})}, {"name", TextSchema(253)}}));
}

Yaml ConnectionSecretRef() {
  Yaml schema = Yaml::Map({{"type", "object"}});
  schema.Set("description", "The Secret of this namespace that gets what is needed to use the object: addresses, names, keys.");
  schema.Set("required", Yaml::List({"name"}));
  return schema.Set("properties", Yaml::Map({{"name", TextSchema(253)}}));
}

Yaml ReplacePolicy() {
  Yaml schema = Choice({"Never", "WhenRequired"});
  schema.Set(
      "description",
      "Whether the object in the cloud may be deleted and created anew when a parameter was changed that the cloud cannot "
      "change. Never: such a change waits, and the condition Synced says which one. WhenRequired: it is replaced.");
  return schema.Set("default", "Never");
}

// What references and names led to, kept so that the answer does not wander.
Yaml ResolvedReferences() {
  Yaml item = Yaml::Map({{"type", "object"}, {"required", Yaml::List({"field", "object", "id"})}});
  item.Set("properties",
           Yaml::Map({{"field", Scalar("string", "The parameter: networkID, or networks[0].networkID.")},
                      {"object", Scalar("string", "The name of the object, here or in the cloud, that it led to.")},
                      {"id", Scalar("string", "The id of that object in the cloud.")},
                      {"by", Scalar("string",
                                    "How it was given: networkRef, networkName, or networkSelector and a digest "
                                    "of it. It is looked up again when that is something else.")}}));
  Yaml schema = Yaml::Map({{"type", "array"}, {"maxItems", 64}});
  schema.Set("description", "What references, selectors and names were resolved to.").Set("items", std::move(item));
  schema.Set("x-kubernetes-list-type", "map");
  return schema.Set("x-kubernetes-list-map-keys", Yaml::List({"field", "object"}));
}

// Flat, without lists: OCM and KubeAdmiral can read nothing else.
Yaml Federation() {
  Yaml schema = Yaml::Map({{"type", "object"}});
  schema.Set("description", "The object in a few plain values, for systems that collect status from many clusters.");
  return schema.Set("properties", Yaml::Map({{"ready", Scalar("boolean", "Whether the condition Ready is True.")},
                                             {"phase", Scalar("string", "Creating, Available, Unavailable or Deleting.")},
                                             {"reason", Scalar("string", "Why, if it is not ready.")},
                                             {"externalID", Scalar("string", "The id in the cloud.")},
                                             {"address", Scalar("string", "The first address, if it has any.")},
                                             {"region", Scalar("string", "The cloud's region.")},
                                             {"zone", Scalar("string", "The cloud's availability zone.")},
                                             {"provider", Scalar("string", "Always kupenstack.")},
                                             {"clusterID", Scalar("string", "The Kubernetes cluster that owns the object.")}}));
}

Yaml AtProvider(const Kind& kind) {
  Yaml properties =
      Yaml::Map({{"id", Scalar("string", "The id in the cloud. Present exactly as long as the object exists there.")}});
  Yaml schema = ObjectSchema(*kind.observation, Place::kAtProvider);
  if (const Yaml* own = schema.Find("properties")) properties.Merge(*own);
  schema.Set("properties", std::move(properties));
  return Described(std::move(schema), "What the cloud says.");
}

}  // namespace

Yaml ManagedSpec(const Kind& kind) {
  Yaml properties = Yaml::Map();
  properties.Set("forProvider", Described(ObjectSchema(*kind.parameters, Place::kForProvider),
                                          "How the object should be. What is not set is not managed."));
  properties.Set(
      "initProvider",
      Described(ObjectSchema(*kind.parameters, Place::kInitProvider),
                "Parameters that only count when the object is created; forProvider goes before them. See there for each."));
  properties.Set("managementPolicies", ManagementPolicies());
  properties.Set("providerConfigRef", ProviderConfigRef());
  properties.Set("replacePolicy", ReplacePolicy());
  properties.Set("writeConnectionSecretToRef", ConnectionSecretRef());

  Yaml schema = Yaml::Map({{"type", "object"}, {"required", Yaml::List({"forProvider"})}});
  schema.Set("properties", std::move(properties));
  if (Yaml rules = RequiredRules(kind); !rules.empty()) schema.Set("x-kubernetes-validations", std::move(rules));
  return schema;
}

Yaml ManagedStatus(const Kind& kind) {
  Yaml properties = Yaml::Map();
  properties.Set("atProvider", AtProvider(kind));
  properties.Set("conditions", Conditions());
  properties.Set("federation", Federation());
  properties.Set("lastHandledReconcileAt",
                 Scalar("string", "The annotation crossplane.io/reconcile-requested-at that was handled last."));
  properties.Set("observedGeneration", Integer("The metadata.generation that this status speaks of."));
  properties.Set("references", ResolvedReferences());
  return Yaml::Map({{"type", "object"}, {"properties", std::move(properties)}});
}

Yaml Conditions() {
  Yaml properties = Yaml::Map();
  properties.Set("type", Scalar("string", "Ready, Synced, UpToDate, Reconciling or Stalled."));
  properties.Set("status", Described(Choice({"True", "False", "Unknown"}), "Whether it is so."));
  properties.Set("reason", Scalar("string", "The cause in one word."));
  properties.Set("message", Scalar("string", "The cause in a sentence."));
  properties.Set("lastTransitionTime",
                 Described(Yaml::Map({{"type", "string"}, {"format", "date-time"}}), "When the status changed."));
  properties.Set("observedGeneration", Integer("The metadata.generation that the condition speaks of."));

  Yaml item = Yaml::Map({{"type", "object"}});
  item.Set("required", Yaml::List({"type", "status", "reason", "lastTransitionTime"})).Set("properties", std::move(properties));
  Yaml schema = Yaml::Map({{"type", "array"}, {"maxItems", 16}});
  schema.Set("description", "The state in the terms of Crossplane (Ready, Synced) and kstatus (Reconciling, Stalled).");
  schema.Set("items", std::move(item)).Set("x-kubernetes-list-type", "map");
  return schema.Set("x-kubernetes-list-map-keys", Yaml::List({"type"}));
}

}  // namespace kupen::apis
