// Small kinds, and the pieces of a CRD that become of them.
#include "apis/gen/crd.h"

#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/apis/support/scratch_kind.h"

namespace kupen::apis {
namespace {

using test::LoadProto;
using test::ThingProto;
using ::testing::HasSubstr;
using ::testing::Not;

// The CRD of a Thing, or the part at a path of its schema.
class ThingCrd {
 public:
  explicit ThingCrd(const test::ThingParts& parts) : kinds_(LoadProto(test::kThingPath, ThingProto(parts))), crd_(Yaml::Map()) {
    EXPECT_TRUE(kinds_.ok()) << kinds_.status();
    if (kinds_.ok()) crd_ = Crd(kinds_->all().front());
  }

  std::string text() const { return Write(crd_); }

  std::string Schema(std::initializer_list<absl::string_view> path) const {
    const Yaml* part = &Version();
    for (const absl::string_view name : {"schema", "openAPIV3Schema"}) part = part->Find(name);
    for (const absl::string_view name : path) {
      part = part->Find(name);
      if (part == nullptr) return "(nothing there)";
    }
    return Write(*part);
  }

  std::string Parameter(absl::string_view name) const {
    return Schema({"properties", "spec", "properties", "forProvider", "properties", name});
  }

 private:
  const Yaml& Version() const { return crd_.Find("spec")->Find("versions")->items().front(); }

  absl::StatusOr<Kinds> kinds_;
  Yaml crd_;
};

TEST(Crd, NamesGroupScopeAndColumns) {
  const ThingCrd crd({.kind = "short_names: 'th' columns: { name: 'STATE' path: '.status.atProvider.state' wide: true }",
                      .observation = "// Its state.\nstring state = 1;"});
  EXPECT_THAT(crd.text(), HasSubstr(R"(metadata:
  name: things.test.m.kupenstack.io
spec:
  group: test.m.kupenstack.io
  names:
    kind: Thing
    listKind: ThingList
    plural: things
    singular: thing
    categories:
    - crossplane
    - managed
    - kupenstack
    shortNames:
    - th
  scope: Namespaced
)"));
  EXPECT_THAT(crd.text(), HasSubstr(R"(    additionalPrinterColumns:
    - name: READY
      type: string
      jsonPath: ".status.conditions[?(@.type=='Ready')].status"
    - name: SYNCED
      type: string
      jsonPath: ".status.conditions[?(@.type=='Synced')].status"
    - name: STATE
      type: string
      jsonPath: .status.atProvider.state
      priority: 1
    - name: EXTERNAL-NAME
      type: string
      jsonPath: ".metadata.annotations.crossplane\\.io/external-name"
    - name: AGE
      type: date
      jsonPath: .metadata.creationTimestamp
)"));
}

TEST(Crd, DescribesFieldsByTheirComments) {
  const ThingCrd crd({.parameters = R"(
    // How big
    // it is.
    //
    // Really.
    optional string size = 1 [(options.v1.field) = { values: ["S", "L"] immutable: true default: "\"S\"" }];
  )"});
  EXPECT_EQ(crd.Parameter("size"), R"(type: string
enum:
- S
- L
description: >-
  How big it is.

  Really. Default when created: "S". Cannot be changed once the object exists in the cloud.
)");
  // The API server sets no default: the spec stays as the user wrote it.
  EXPECT_THAT(crd.Parameter("size"), Not(HasSubstr("default:")));
}

TEST(Crd, TurnsAReferenceIntoFourMembersOfWhichOneMayBeSet) {
  const ThingCrd crd({.parameters = R"(
    // The other.
    optional string other_id = 1 [json_name = "otherID", (options.v1.field) = {
      required: true format: "uuid" refers_to: { kind: "test.Thing" } }];
  )"});
  EXPECT_EQ(crd.Parameter("otherID"), "type: string\nformat: uuid\nminLength: 1\nmaxLength: 36\ndescription: The other.\n");
  EXPECT_THAT(crd.Parameter("otherRef"), HasSubstr("required:\n- name\n"));
  EXPECT_THAT(crd.Parameter("otherSelector"), HasSubstr("matchLabels:\n    type: object\n    maxProperties: 16\n"));
  for (const char* member : {"otherRef", "otherSelector"}) {
    EXPECT_THAT(crd.Parameter(member), HasSubstr("enum:\n        - IfNotPresent\n        - Always\n")) << member;
    EXPECT_THAT(crd.Parameter(member), HasSubstr("enum:\n        - Required\n        - Optional\n")) << member;
  }
  EXPECT_THAT(crd.Parameter("otherName"), HasSubstr("maxLength: 255\n"));
  const std::string rules = crd.Schema({"properties", "spec", "properties", "forProvider", "x-kubernetes-validations"});
  EXPECT_EQ(rules,
            R"(- rule: >-
    [has(self.otherID), has(self.otherRef), has(self.otherSelector), has(self.otherName)].filter(given, given).size() <=
    1
  message: "only one of otherID, otherRef, otherSelector, otherName may be set"
)");
  EXPECT_THAT(crd.Schema({"properties", "spec", "x-kubernetes-validations"}),
              HasSubstr("one of otherID, otherRef, otherSelector, otherName is a required parameter of spec.forProvider"));
}

TEST(Crd, LetsReferencesOfAListAddUp) {
  const ThingCrd crd({.parameters = R"(
    // The others.
    repeated string other_ids = 1 [json_name = "otherIDs", (options.v1.field) = {
      unordered: true max_items: 4 format: "uuid" refers_to: { kind: "test.Thing" } }];
  )"});
  EXPECT_THAT(crd.Parameter("otherRefs"), HasSubstr("x-kubernetes-list-type: map\nx-kubernetes-list-map-keys:\n- name\n"));
  EXPECT_THAT(crd.Parameter("otherNames"), HasSubstr("maxItems: 4\n"));
  EXPECT_EQ(crd.Schema({"properties", "spec", "properties", "forProvider", "x-kubernetes-validations"}), "(nothing there)");
}

TEST(Crd, OffersNoRefToWhatIsNoKind) {
  const ThingCrd crd({.parameters = R"(
    // The group.
    optional string group_id = 1 [json_name = "groupID", (options.v1.field) = {
      format: "uuid" refers_to: { collection: { service: "network" path: "/groups" list_envelope: "groups" } } }];
  )"});
  EXPECT_EQ(crd.Parameter("groupRef"), "(nothing there)");
  EXPECT_THAT(crd.Parameter("groupName"), HasSubstr("type: string"));
}

TEST(Crd, RequiresUnlessItOnlyObserves) {
  const ThingCrd crd({.parameters = "// A field.\noptional bool big = 1 [(options.v1.field) = { required: true }];"});
  EXPECT_EQ(crd.Schema({"properties", "spec", "x-kubernetes-validations"}), R"(- rule: >-
    !('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in self.managementPolicies) ||
    has(self.forProvider.big) || (has(self.initProvider) && (has(self.initProvider.big)))
  message: spec.forProvider.big is a required parameter
)");
}

TEST(Crd, KeepsAnImmutableFieldOnceTheObjectExists) {
  const ThingCrd crd({.parameters = "// A field.\noptional bool big = 1 [(options.v1.field) = { immutable: true }];"});
  EXPECT_EQ(crd.Schema({"x-kubernetes-validations"}), R"(- rule: >-
    !has(oldSelf.status) || !has(oldSelf.status.atProvider) || !has(oldSelf.status.atProvider.id) ||
    !has(oldSelf.spec.forProvider.big) || (has(self.spec.forProvider.big) && self.spec.forProvider.big ==
    oldSelf.spec.forProvider.big)
  message: cannot be changed once the Thing exists in the cloud
  fieldPath: .spec.forProvider.big
)");
}

TEST(Crd, LimitsWhatUsersGiveButNotWhatTheCloudSays) {
  const ThingCrd crd(
      {.parameters = R"(
    // Tags.
    repeated string tags = 1 [(options.v1.field) = { unordered: true max_items: 5 max_length: 60 pattern: "^[^/]+$" }];
    // Labels.
    map<string, string> labels = 2 [(options.v1.field) = { max_items: 5 max_length: 60 }];
    // A number.
    optional int64 size = 3 [(options.v1.field) = { min: 1 max: 9 cel: { rule: "self != 5" message: "not 5" } }];
  )",
       .observation = "// Tags.\nrepeated string tags = 1 [(options.v1.field) = { unordered: true max_items: 32 }];"});
  EXPECT_EQ(crd.Parameter("tags"), R"(type: array
maxItems: 5
items:
  type: string
  maxLength: 60
  pattern: "^[^/]+$"
x-kubernetes-list-type: set
description: Tags.
)");
  EXPECT_EQ(crd.Parameter("labels"), R"(type: object
maxProperties: 5
additionalProperties:
  type: string
  maxLength: 60
description: Labels.
)");
  EXPECT_EQ(crd.Parameter("size"), R"(type: integer
format: int64
minimum: 1
maximum: 9
description: A number.
x-kubernetes-validations:
- rule: "self != 5"
  message: not 5
)");
  EXPECT_EQ(crd.Schema({"properties", "status", "properties", "atProvider", "properties", "tags"}), R"(type: array
maxItems: 32
items:
  type: string
x-kubernetes-list-type: set
description: Tags.
)");
}

TEST(Crd, AddsWhatEveryManagedResourceHas) {
  const ThingCrd crd({});
  EXPECT_EQ(crd.Schema({"properties", "spec", "properties", "managementPolicies", "default"}), "- \"*\"\n");
  EXPECT_EQ(crd.Schema({"properties", "spec", "properties", "providerConfigRef", "default"}),
            "kind: ClusterProviderConfig\nname: default\n");
  for (const absl::string_view member : {"initProvider", "replacePolicy", "writeConnectionSecretToRef"}) {
    EXPECT_NE(crd.Schema({"properties", "spec", "properties", member}), "(nothing there)") << member;
  }
  for (const absl::string_view member :
       {"conditions", "observedGeneration", "lastHandledReconcileAt", "references", "federation"}) {
    EXPECT_NE(crd.Schema({"properties", "status", "properties", member}), "(nothing there)") << member;
  }
  EXPECT_THAT(crd.Schema({"properties", "status", "properties", "atProvider", "properties", "id"}), HasSubstr("type: string"));
  EXPECT_THAT(crd.text(), HasSubstr("    subresources:\n      status: {}\n"));
}

TEST(Crd, OfAConfigurationHasDefaultsOfTheApiServer) {
  const absl::StatusOr<Kinds> kinds = LoadProto("apis/v1alpha1/setting.proto", R"(syntax = "proto3";
package kupen.apis.v1alpha1;
import "apis/options/v1/options.proto";
// A Setting.
message Setting {
  option (options.v1.kind) = { cluster_scoped: true };
  message Spec {
    // A field.
    optional string key = 1 [(options.v1.field) = { max_length: 9 default: "\"k\"" }];
    // Another.
    optional bool big = 2 [(options.v1.field) = { required: true }];
  }
  message Status {}
})");
  ASSERT_TRUE(kinds.ok()) << kinds.status();
  const std::string text = Write(Crd(kinds->all().front()));
  EXPECT_THAT(text, HasSubstr("  name: settings.m.kupenstack.io\n"));
  EXPECT_THAT(text, HasSubstr("  scope: Cluster\n"));
  EXPECT_THAT(text, HasSubstr("                default: k\n"));
  EXPECT_THAT(text, HasSubstr("            required:\n            - big\n"));
  EXPECT_THAT(text, Not(HasSubstr("managementPolicies")));
}

}  // namespace
}  // namespace kupen::apis
