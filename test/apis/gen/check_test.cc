// One test per error: what a bad .proto is told.
#include "apis/gen/check.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apis/gen/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/apis/support/scratch_kind.h"

namespace kupen::apis {
namespace {

using test::LoadProto;
using test::ThingParts;
using test::ThingProto;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Problems(const ThingParts& parts, const std::string& path = test::kThingPath) {
  const absl::StatusOr<Kinds> kinds = LoadProto(path, ThingProto(parts));
  EXPECT_TRUE(kinds.ok()) << kinds.status();
  return kinds.ok() ? Check(*kinds) : std::vector<std::string>{};
}

// What is wrong with one field of Parameters.
std::vector<std::string> FieldProblems(const std::string& field) { return Problems({.parameters = "// A field.\n" + field}); }

std::string AtField(const std::string& problem) { return absl::StrCat("apis/test/v1alpha1/thing.proto:20: ", problem); }
std::string AtKind(const std::string& problem) { return absl::StrCat("apis/test/v1alpha1/thing.proto:8: ", problem); }

TEST(Check, AcceptsAKindThatIsRight) {
  EXPECT_THAT(FieldProblems("optional string size = 1 [(options.v1.field) = { max_length: 10 }];"), IsEmpty());
}

TEST(Check, StringWithoutMaximum) {
  EXPECT_THAT(FieldProblems("optional string size = 1;"),
              ElementsAre(AtField("size: a string without a maximum; add max_length, values, or a format that has one")));
}

TEST(Check, NumberWithoutLimits) {
  EXPECT_THAT(FieldProblems("optional int64 size = 1;"),
              ElementsAre(AtField("size: a number without limits; add min and max")));
}

TEST(Check, MinAboveMax) {
  EXPECT_THAT(FieldProblems("optional int64 size = 1 [(options.v1.field) = { min: 5 max: 4 }];"),
              ElementsAre(AtField("size: min 5 is above max 4; min <= max")));
}

TEST(Check, LimitsOfNumbersOnStrings) {
  EXPECT_THAT(FieldProblems("optional string size = 1 [(options.v1.field) = { max_length: 5 max: 4 }];"),
              ElementsAre(AtField("size: min or max of what is no number; max_length, max_items")));
}

TEST(Check, OptionsOfStringsOnNumbers) {
  EXPECT_THAT(FieldProblems("optional bool size = 1 [(options.v1.field) = { pattern: 'x' }];"),
              ElementsAre(AtField("size: an option for strings; max_length, pattern, format and values are for strings only")));
}

TEST(Check, ListWithoutMaximum) {
  EXPECT_THAT(FieldProblems("repeated string sizes = 1 [(options.v1.field) = { max_length: 5 }];"),
              ElementsAre(AtField("sizes: a list or map without a maximum; add max_items")));
}

TEST(Check, ScalarThatCannotBeAbsent) {
  EXPECT_THAT(FieldProblems("bool big = 1;"),
              ElementsAre(AtField("big: a scalar that cannot be absent; write `optional` before its type")));
}

TEST(Check, TypeThatKubernetesOrOpenStackLack) {
  EXPECT_THAT(
      FieldProblems("optional float size = 1;"),
      ElementsAre(AtField("size: type float; string (with `values` for an enum), bool, int64, a message, a list of these or "
                          "a map<string, …>")));
}

TEST(Check, MapWithoutStringKeys) {
  EXPECT_THAT(FieldProblems("map<int64, string> sizes = 1 [(options.v1.field) = { max_items: 3 max_length: 5 }];"),
              Contains(AtField("sizes: a map whose keys are no strings; map<string, …>")));
}

TEST(Check, Oneof) {
  EXPECT_THAT(Problems({.parameters = "oneof way { // A field.\nstring size = 1 [(options.v1.field) = { max_length: 5 }]; }"}),
              Contains(testing::HasSubstr("size: part of a oneof; separate fields and a rule")));
}

TEST(Check, FieldWithoutComment) {
  EXPECT_THAT(Problems({.parameters = "\noptional bool big = 1;"}),
              ElementsAre(AtField("big: no comment; the comment above it is its description in the CRD")));
}

TEST(Check, KindWithoutComment) {
  EXPECT_THAT(Problems({.comment = ""}),
              ElementsAre(AtKind("Thing: no comment; the comment above it is its description in the CRD")));
}

TEST(Check, NameThatKubernetesSpellsOtherwise) {
  EXPECT_THAT(FieldProblems("optional string fixed_ip = 1 [(options.v1.field) = { format: 'ip' }];"),
              ElementsAre(AtField("fixed_ip: is fixedIp in the CRD; write json_name = \"fixedIP\"")));
}

TEST(Check, ReservedName) {
  EXPECT_THAT(FieldProblems("optional bool descriptor = 1;"),
              ElementsAre(AtField("descriptor: a reserved name; choose one that is no member of protobuf's classes")));
}

TEST(Check, IdInObservation) {
  EXPECT_THAT(
      Problems({.observation = "// Its id.\nstring id = 1;"}),
      ElementsAre(
          "apis/test/v1alpha1/thing.proto:23: id: a reserved name; the generator adds status.atProvider.id to every kind"));
}

TEST(Check, UnknownFormat) {
  EXPECT_THAT(FieldProblems("optional string size = 1 [(options.v1.field) = { format: 'colour' }];"),
              ElementsAre(AtField("size: unknown format colour; one of cidr, date-time, ip, mac, uri, uuid")));
}

TEST(Check, ReferenceToUnknownKind) {
  EXPECT_THAT(FieldProblems("optional string net_id = 1 [json_name = 'netID', "
                            "(options.v1.field) = { format: 'uuid' refers_to: { kind: 'network.Net' } }];"),
              ElementsAre(AtField("net_id: refers to unknown kind network.Net; one of test.Thing")));
}

TEST(Check, ReferenceToNothing) {
  EXPECT_THAT(
      FieldProblems("optional string net_id = 1 [json_name = 'netID', (options.v1.field) = { format: 'uuid' refers_to: {} }];"),
      ElementsAre(AtField("net_id: refers_to needs a kind or a collection; refers_to: { kind: \"network.Network\" }")));
}

TEST(Check, ReferenceToACollectionThatCannotBeListed) {
  EXPECT_THAT(FieldProblems("optional string net_id = 1 [json_name = 'netID', (options.v1.field) = { format: 'uuid' "
                            "refers_to: { collection: { service: 'network' } } }];"),
              ElementsAre(AtField("net_id: refers to a collection that cannot be listed; service, path and list_envelope")));
}

TEST(Check, ReferenceWhoseNameDoesNotSaySo) {
  EXPECT_THAT(
      FieldProblems("optional string other = 1 [(options.v1.field) = { format: 'uuid' refers_to: { kind: 'test.Thing' } }];"),
      ElementsAre(AtField("other: refers to something, but its name does not say how; a name ending with _id, _ids for a "
                          "list, or _name")));
}

TEST(Check, OrderedListOfReferences) {
  EXPECT_THAT(
      FieldProblems("repeated string thing_ids = 1 [json_name = 'thingIDs', "
                    "(options.v1.field) = { format: 'uuid' max_items: 3 refers_to: { kind: 'test.Thing' } }];"),
      ElementsAre(AtField("thing_ids: an ordered list of references; unordered: true, since ids, Refs and Names add up")));
}

TEST(Check, FieldThatMeetsAMemberOfAReference) {
  EXPECT_THAT(
      Problems({.parameters = "// One.\noptional string thing_id = 1 [json_name = 'thingID', "
                              "(options.v1.field) = { format: 'uuid' refers_to: { kind: 'test.Thing' } }];\n"
                              "// Two.\noptional string thing_name = 2 [(options.v1.field) = { max_length: 3 }];"}),
      ElementsAre(
          "apis/test/v1alpha1/thing.proto:22: thing_name: the CRD would have thingName twice; rename one of the fields"));
}

TEST(Check, DefaultNotAmongValues) {
  EXPECT_THAT(FieldProblems("optional string size = 1 [(options.v1.field) = { values: ['S', 'L'] default: '\"M\"' }];"),
              ElementsAre(AtField("size: default \"M\" is not among its values; one of S, L")));
}

TEST(Check, DefaultOutOfRange) {
  EXPECT_THAT(FieldProblems("optional int64 size = 1 [(options.v1.field) = { min: 1 max: 3 default: '4' }];"),
              ElementsAre(AtField("size: default 4 is out of range; 1 to 3")));
}

TEST(Check, DefaultOfAnotherType) {
  EXPECT_THAT(FieldProblems("optional int64 size = 1 [(options.v1.field) = { min: 1 max: 3 default: 'true' }];"),
              ElementsAre(AtField("size: default true; a value of its type, int64")));
}

TEST(Check, DefaultThatIsNoJson) {
  EXPECT_THAT(FieldProblems("optional string size = 1 [(options.v1.field) = { max_length: 3 default: 'M' }];"),
              Contains(testing::HasSubstr("size: default M: not JSON")));
}

TEST(Check, DefaultOfARequiredField) {
  EXPECT_THAT(FieldProblems("optional bool big = 1 [(options.v1.field) = { required: true default: 'true' }];"),
              ElementsAre(AtField("big: both required and with a default; one of them")));
}

TEST(Check, ImmutableAndReplaces) {
  EXPECT_THAT(FieldProblems("optional bool big = 1 [(options.v1.field) = { immutable: true replaces: true }];"),
              ElementsAre(AtField("big: both immutable and replaces; one of them")));
}

constexpr char kUseInner[] = "// Inside.\noptional Inner inner = 1;";

TEST(Check, OptionsThatMeanNothingFurtherDown) {
  EXPECT_THAT(
      Problems(
          {.parameters = kUseInner,
           .messages = "message Inner { // A field.\noptional bool big = 1 [(options.v1.field) = { immutable: true }]; }"}),
      Contains(testing::HasSubstr("big: immutable or replaces below the top of Parameters; say it of the field")));
  EXPECT_THAT(
      Problems(
          {.parameters = kUseInner,
           .messages = "message Inner { // A field.\noptional bool big = 1 [(options.v1.field) = { late_init: true }]; }"}),
      Contains(testing::HasSubstr("big: late_init, clear_when_empty or subresource below the top of Parameters")));
  EXPECT_THAT(
      Problems(
          {.parameters = kUseInner,
           .messages = "message Inner { // A field.\noptional bool big = 1 [(options.v1.field) = { default: 'true' }]; }"}),
      Contains(testing::HasSubstr("big: a default below the top of Parameters; leave it to the cloud")));
}

TEST(Check, Recursion) {
  EXPECT_THAT(Problems({.parameters = kUseInner, .messages = "message Inner {\n// A field.\noptional Inner more = 1;\n}"}),
              Contains(testing::HasSubstr("more: recursion: Inner contains itself; a CRD's schema must end somewhere")));
}

TEST(Check, OptionsOfSpecInWhatIsObserved) {
  EXPECT_THAT(Problems({.observation = "// A field.\nbool big = 1 [(options.v1.field) = { required: true }];"}),
              Contains(testing::HasSubstr("big: an option that means nothing in what is observed; wire, max_items")));
}

TEST(Check, KeyThatItemsDoNotHave) {
  EXPECT_THAT(
      Problems({.parameters = "// Inside.\nrepeated Inner inners = 1 [(options.v1.field) = { max_items: 3 key: 'name' }];",
                .messages = "message Inner {\n// A field.\noptional bool big = 1;\n}"}),
      ElementsAre(AtField("inners: key name; a list of messages, and a required field of theirs")));
}

TEST(Check, RuleWithoutMessage) {
  EXPECT_THAT(FieldProblems("optional bool big = 1 [(options.v1.field) = { cel: { rule: 'self' } }];"),
              ElementsAre(AtField("big: a rule without its message, or a message without its rule; both")));
}

TEST(Check, RuleOfAMessage) {
  EXPECT_THAT(Problems({.parameters = "option (options.v1.rule) = { rule: 'true' };"}),
              ElementsAre("apis/test/v1alpha1/thing.proto:18: Parameters: a rule without its message, or a message without its "
                          "rule; both"));
  EXPECT_THAT(Problems({.observation = "option (options.v1.rule) = { rule: 'true' message: 'm' };"}),
              Contains(testing::HasSubstr("Observation: a rule in what is observed; remove it")));
  EXPECT_THAT(
      Problems(
          {.parameters = kUseInner,
           .messages = "message Inner { option (options.v1.rule) = { rule: 'true' message: 'm' unless_observed: true }; }"}),
      Contains(testing::HasSubstr("Inner: a rule with unless_observed; only Parameters has such rules")));
}

TEST(Check, ClearWhenEmptyOfWhatCannotBeEmpty) {
  EXPECT_THAT(
      FieldProblems("optional bool big = 1 [(options.v1.field) = { clear_when_empty: true }];"),
      ElementsAre(AtField("big: clear_when_empty of what cannot be empty; lists, maps, and strings without values or an "
                          "OpenAPI format")));
}

TEST(Check, UnorderedOfWhatIsNoList) {
  EXPECT_THAT(FieldProblems("optional bool big = 1 [(options.v1.field) = { unordered: true }];"),
              ElementsAre(AtField("big: unordered of what is no list; remove it")));
}

TEST(Check, SubresourceWithoutPath) {
  EXPECT_THAT(FieldProblems("optional bool big = 1 [(options.v1.field) = { subresource: {} }];"),
              ElementsAre(AtField("big: a subresource without a path; path: \"tags\"")));
}

TEST(Check, ColumnThatLeadsNowhere) {
  EXPECT_THAT(
      Problems({.kind = "columns: { name: 'SIZE' path: '.status.atProvider.size' }"}),
      ElementsAre(AtKind("Thing: column SIZE has path .status.atProvider.size, which leads to no field; .spec.forProvider.… "
                         "or .status.atProvider.…")));
}

TEST(Check, KindWithoutRest) {
  EXPECT_THAT(
      Problems({.rest = ""}),
      Contains(AtKind("Thing: does not say where it is in OpenStack; rest: { service: \"network\" path: \"/networks\" … }")));
}

TEST(Check, ListWithoutEnvelope) {
  EXPECT_THAT(Problems({.rest = "rest: { service: 'test' path: '/things' identity: { marker: 'tags' } update: PUT }"}),
              ElementsAre(AtKind(
                  "Thing: does not say what holds the objects of a LIST; envelope, or list_envelope if objects have none")));
}

TEST(Check, NoIdentityOrTwo) {
  const std::string problem =
      AtKind("Thing: no identity, or more than one; exactly one of marker, client_id, natural_key in rest.identity");
  EXPECT_THAT(Problems({.rest = "rest: { service: 'test' path: '/things' envelope: 'thing' update: PUT }"}),
              ElementsAre(problem));
  EXPECT_THAT(Problems({.rest = "rest: { service: 'test' path: '/things' envelope: 'thing' update: PUT "
                                "identity: { marker: 'tags' natural_key: 'name' } }"}),
              ElementsAre(problem));
}

TEST(Check, StateWithoutWhatIsReady) {
  EXPECT_THAT(Problems({.rest = "rest: { service: 'test' path: '/things' envelope: 'thing' update: PUT "
                                "identity: { marker: 'tags' } state: { field: 'status' } }"}),
              ElementsAre(AtKind("Thing: a state without its field or without what is ready; state: { field: \"status\" ready: "
                                 "\"ACTIVE\" }")));
}

TEST(Check, MutableFieldOfAKindThatCannotBeUpdated) {
  EXPECT_THAT(
      Problems({.rest = "rest: { service: 'test' path: '/things' envelope: 'thing' identity: { marker: 'tags' } }",
                .parameters = "// A field.\noptional bool big = 1;"}),
      ElementsAre(AtField("big: may change, but Thing says that the service cannot change such an object; immutable, replaces "
                          "or a subresource; or rest.update of the kind")));
}

TEST(Check, WrongFile) {
  EXPECT_THAT(
      Problems({}, "apis/test/v1alpha1/other.proto"),
      ElementsAre("apis/test/v1alpha1/other.proto:8: Thing: package kupen.apis.test.v1alpha1 in this file; it belongs in "
                  "apis/test/v1alpha1/thing.proto"));
}

TEST(Check, TwoKindsInOneFile) {
  const std::string second =
      "// Another.\nmessage Other { option (options.v1.kind) = {}; message Spec {} message Status {} }\n";
  const absl::StatusOr<Kinds> kinds = LoadProto(test::kThingPath, absl::StrCat(ThingProto({}), second));
  ASSERT_TRUE(kinds.ok()) << kinds.status();
  EXPECT_THAT(Check(*kinds), Contains(testing::HasSubstr("Other: a second kind in one file; one file per kind")));
}

TEST(Check, NotTheShapeOfAKind) {
  EXPECT_THAT(
      Problems({.messages = "message Spec {}"}),
      ElementsAre(AtKind("Thing: not the shape of a kind; nested messages Parameters and Observation (a managed resource), or "
                         "Spec and Status (a configuration)")));
}

TEST(Check, NameThatAnotherKindHas) {
  EXPECT_THAT(Problems({.kind = "short_names: 'things'"}),
              ElementsAre(AtKind("Thing: things is a name of test.Thing already; another plural or short name")));
}

TEST(Check, ProtocFindsMisspeltOptions) {
  const absl::Status status =
      LoadProto(test::kThingPath, ThingProto({.parameters = "optional bool big = 1 [(options.v1.field) = { requird: true }];"}))
          .status();
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("requird"));
}

TEST(Generate, KindWithoutExample) {
  const absl::StatusOr<Kinds> kinds = LoadProto(test::kThingPath, ThingProto({}));
  ASSERT_TRUE(kinds.ok()) << kinds.status();
  EXPECT_EQ(
      Generate(*kinds, testing::TempDir()).status().message(),
      "apis/test/v1alpha1/thing.proto:1: Thing has no example; write examples/test/thing.yaml, with comments: the reference "
      "page and the tests use it");
}

}  // namespace
}  // namespace kupen::apis
