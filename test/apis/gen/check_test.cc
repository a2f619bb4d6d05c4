// What a bad .proto is told: each error once.
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
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> ProblemsOf(const std::string& proto, const std::string& path = test::kThingPath) {
  const absl::StatusOr<Kinds> kinds = LoadProto(path, proto);
  EXPECT_TRUE(kinds.ok()) << kinds.status();
  return kinds.ok() ? Check(*kinds) : std::vector<std::string>{};
}

TEST(Check, AcceptsAKindThatIsRight) {
  EXPECT_THAT(ProblemsOf(ThingProto(
                  {.parameters = "// Its size.\noptional string size = 1 [(options.v1.field) = { max_length: 10 }];"})),
              IsEmpty());
}

struct Case {
  const char* name;
  ThingParts parts;
  // The one problem, after its file.
  const char* problem;
};

void PrintTo(const Case& bad, std::ostream* out) { *out << bad.name; }

class BadProto : public testing::TestWithParam<Case> {};

TEST_P(BadProto, IsToldWhatIsWrongAndWhatIsAllowed) {
  EXPECT_THAT(ProblemsOf(ThingProto(GetParam().parts)), ElementsAre(absl::StrCat(test::kThingPath, ":", GetParam().problem)));
}

std::string CaseName(const testing::TestParamInfo<Case>& info) { return info.param.name; }

// A field of Parameters, at line 20.
constexpr Case kFields[] = {
    {"StringWithoutMaximum",
     {.parameters = "// Its size.\noptional string size = 1;"},
     "20: size: a string without a maximum; add max_length, values, or a format that has one"},
    {"NumberWithoutLimits",
     {.parameters = "// Its size.\noptional int64 size = 1;"},
     "20: size: a number without limits; add min and max"},
    {"MinAboveMax",
     {.parameters = "// Its size.\noptional int64 size = 1 [(options.v1.field) = { min: 5 max: 4 }];"},
     "20: size: min 5 is above max 4; min <= max"},
    {"LimitsOfNumbersOnStrings",
     {.parameters = "// Its size.\noptional string size = 1 [(options.v1.field) = { max_length: 5 max: 4 }];"},
     "20: size: min or max of what is no number; max_length, max_items"},
    {"OptionsOfStringsOnOthers",
     {.parameters = "// Its size.\noptional bool big = 1 [(options.v1.field) = { pattern: 'x' }];"},
     "20: big: an option for strings; max_length, pattern, format and values are for strings only"},
    {"ListWithoutMaximum",
     {.parameters = "// Its sizes.\nrepeated string sizes = 1 [(options.v1.field) = { max_length: 5 }];"},
     "20: sizes: a list or map without a maximum; add max_items"},
    {"ScalarThatCannotBeAbsent",
     {.parameters = "// Its size.\nbool big = 1;"},
     "20: big: a scalar that cannot be absent; write `optional` before its type"},
    {"TypeThatKubernetesOrOpenStackLack",
     {.parameters = "// Its size.\noptional float size = 1;"},
     "20: size: type float; string (with `values` for an enum), bool, int64, a message, a list of these or a map<string, …>"},
    {"MapWithoutStringKeys",
     {.parameters = "// Its sizes.\nmap<int64, string> sizes = 1 [(options.v1.field) = { max_items: 3 max_length: 5 }];"},
     "20: sizes: a map whose keys are no strings; map<string, …>"},
    {"Oneof",
     {.parameters = "oneof way {\n// Its size.\nstring size = 1 [(options.v1.field) = { max_length: 5 }]; }"},
     "21: size: part of a oneof; separate fields and a rule"},
    {"FieldWithoutComment",
     {.parameters = "\noptional bool big = 1;"},
     "20: big: no comment; the comment above it is its description in the CRD"},
    {"NameThatKubernetesSpellsOtherwise",
     {.parameters = "// Its address.\noptional string fixed_ip = 1 [(options.v1.field) = { format: 'ip' }];"},
     "20: fixed_ip: is fixedIp in the CRD; write json_name = \"fixedIP\""},
    {"ReservedName",
     {.parameters = "// It.\noptional bool descriptor = 1;"},
     "20: descriptor: a reserved name; choose one that is no member of protobuf's classes"},
    {"UnknownFormat",
     {.parameters = "// Its size.\noptional string size = 1 [(options.v1.field) = { format: 'colour' }];"},
     "20: size: unknown format colour; one of cidr, date-time, ip, mac, uri, uuid"},
    {"DefaultNotAmongValues",
     {.parameters = "// Its size.\noptional string size = 1 [(options.v1.field) = { values: ['S', 'L'] default: '\"M\"' }];"},
     "20: size: default \"M\" is not among its values; one of S, L"},
    {"DefaultOutOfRange",
     {.parameters = "// Its size.\noptional int64 size = 1 [(options.v1.field) = { min: 1 max: 3 default: '4' }];"},
     "20: size: default 4 is out of range; 1 to 3"},
    {"DefaultOfAnotherType",
     {.parameters = "// Its size.\noptional int64 size = 1 [(options.v1.field) = { min: 1 max: 3 default: 'true' }];"},
     "20: size: default true; a value of its type, int64"},
    {"DefaultThatIsNoJson",
     {.parameters = "// Its size.\noptional string size = 1 [(options.v1.field) = { max_length: 3 default: 'M' }];"},
     "20: size: default M: not JSON: line 1, column 1: Invalid value.; JSON text; strings have quotes: \"\\\"bare\\\"\""},
    {"DefaultOfARequiredField",
     {.parameters = "// Its size.\noptional bool big = 1 [(options.v1.field) = { required: true default: 'true' }];"},
     "20: big: both required and with a default; one of them"},
    {"ImmutableAndReplaces",
     {.parameters = "// Its size.\noptional bool big = 1 [(options.v1.field) = { immutable: true replaces: true }];"},
     "20: big: both immutable and replaces; one of them"},
    {"RuleOfAFieldWithoutMessage",
     {.parameters = "// Its size.\noptional bool big = 1 [(options.v1.field) = { cel: { rule: 'self' } }];"},
     "20: big: a rule without its message, or a message without its rule; both"},
    {"ClearWhenEmptyOfWhatCannotBeEmpty",
     {.parameters = "// Its size.\noptional bool big = 1 [(options.v1.field) = { clear_when_empty: true }];"},
     "20: big: clear_when_empty of what cannot be empty; lists, maps, and strings without values or an OpenAPI format"},
    {"UnorderedOfWhatIsNoList",
     {.parameters = "// Its size.\noptional bool big = 1 [(options.v1.field) = { unordered: true }];"},
     "20: big: unordered of what is no list; remove it"},
    {"SubresourceWithoutPath",
     {.parameters = "// Its size.\noptional bool big = 1 [(options.v1.field) = { subresource: {} }];"},
     "20: big: a subresource without a path; path: \"tags\""},
};
INSTANTIATE_TEST_SUITE_P(Field, BadProto, testing::ValuesIn(kFields), CaseName);

constexpr Case kReferences[] = {
    {"ToUnknownKind",
     {.parameters =
          "// It.\noptional string net_id = 1 [json_name = 'netID', (options.v1.field) = { format: 'uuid' refers_to: { "
          "kind: 'network.Net' } }];"},
     "20: net_id: refers to unknown kind network.Net; one of test.Thing"},
    {"ToNothing",
     {.parameters =
          "// It.\noptional string net_id = 1 [json_name = 'netID', (options.v1.field) = { format: 'uuid' refers_to: {} }];"},
     "20: net_id: refers_to needs a kind or a collection; refers_to: { kind: \"network.Network\" }"},
    {"ToACollectionThatCannotBeListed",
     {.parameters =
          "// It.\noptional string net_id = 1 [json_name = 'netID', (options.v1.field) = { format: 'uuid' refers_to: { "
          "collection: { service: 'network' } } }];"},
     "20: net_id: refers to a collection that cannot be listed; service, path and list_envelope"},
    {"WhoseNameDoesNotSaySo",
     {.parameters =
          "// It.\noptional string other = 1 [(options.v1.field) = { format: 'uuid' refers_to: { kind: 'test.Thing' } }];"},
     "20: other: refers to something, but its name does not say how; a name ending with _id, _ids for a list, or _name"},
    {"InAnOrderedList",
     {.parameters = "// Them.\nrepeated string thing_ids = 1 [json_name = 'thingIDs', (options.v1.field) = { format: 'uuid' "
                    "max_items: 3 refers_to: { kind: 'test.Thing' } }];"},
     "20: thing_ids: an ordered list of references; unordered: true, since ids, Refs and Names add up"},
    {"WhoseMemberIsAFieldAlready",
     {.parameters =
          "// One.\noptional string thing_id = 1 [json_name = 'thingID', (options.v1.field) = { format: 'uuid' refers_to: { "
          "kind: 'test.Thing' } }];\n// Two.\noptional string thing_name = 2 [(options.v1.field) = { max_length: 3 }];"},
     "22: thing_name: the CRD would have thingName twice; rename one of the fields"},
};
INSTANTIATE_TEST_SUITE_P(Reference, BadProto, testing::ValuesIn(kReferences), CaseName);

// Inner's field is at line 27.
constexpr Case kNested[] = {
    {"Immutable",
     {.parameters = "// It.\noptional Inner inner = 1;",
      .messages = "message Inner {\n// Its size.\noptional bool big = 1 [(options.v1.field) = { immutable: true }]; }"},
     "27: big: immutable or replaces below the top of Parameters; say it of the field of Parameters that contains this one"},
    {"LateInit",
     {.parameters = "// It.\noptional Inner inner = 1;",
      .messages = "message Inner {\n// Its size.\noptional bool big = 1 [(options.v1.field) = { late_init: true }]; }"},
     "27: big: late_init, clear_when_empty or subresource below the top of Parameters; these are for fields of Parameters"},
    {"Default",
     {.parameters = "// It.\noptional Inner inner = 1;",
      .messages = "message Inner {\n// Its size.\noptional bool big = 1 [(options.v1.field) = { default: 'true' }]; }"},
     "27: big: a default below the top of Parameters; leave it to the cloud, or say it in the comment"},
    {"Recursion",
     {.parameters = "// It.\noptional Inner inner = 1;", .messages = "message Inner {\n// More.\noptional Inner more = 1; }"},
     "27: more: recursion: Inner contains itself; a CRD's schema must end somewhere"},
    {"KeyThatItemsDoNotHave",
     {.parameters = "// Them.\nrepeated Inner inners = 1 [(options.v1.field) = { max_items: 3 key: 'name' }];",
      .messages = "message Inner {\n// Its size.\noptional bool big = 1; }"},
     "20: inners: key name; a list of messages, and a required field of theirs"},
    {"RuleUnlessObserved",
     {.parameters = "// It.\noptional Inner inner = 1;",
      .messages = "message Inner { option (options.v1.rule) = { rule: 'true' message: 'm' unless_observed: true }; }"},
     "25: Inner: a rule with unless_observed; only Parameters has such rules"},
    {"RuleWithoutMessage",
     {.parameters = "option (options.v1.rule) = { rule: 'true' };"},
     "18: Parameters: a rule without its message, or a message without its rule; both"},
};
INSTANTIATE_TEST_SUITE_P(Nested, BadProto, testing::ValuesIn(kNested), CaseName);

constexpr Case kObserved[] = {
    {"Id",
     {.observation = "// Its id.\nstring id = 1;"},
     "23: id: a reserved name; the generator adds status.atProvider.id to every kind"},
    {"OptionOfSpec",
     {.observation = "// Its size.\nbool big = 1 [(options.v1.field) = { required: true }];"},
     "23: big: an option that means nothing in what is observed; wire, max_items, unordered, key, sensitive"},
    {"Rule",
     {.observation = "option (options.v1.rule) = { rule: 'true' message: 'm' };"},
     "21: Observation: a rule in what is observed; remove it: the cloud is as it is"},
};
INSTANTIATE_TEST_SUITE_P(Observed, BadProto, testing::ValuesIn(kObserved), CaseName);

constexpr Case kKinds[] = {
    {"WithoutComment", {.comment = ""}, "8: Thing: no comment; the comment above it is its description in the CRD"},
    {"ColumnThatLeadsNowhere",
     {.kind = "columns: { name: 'SIZE' path: '.status.atProvider.size' }"},
     "8: Thing: column SIZE has path .status.atProvider.size, which leads to no field; .spec.forProvider.… or "
     ".status.atProvider.…"},
    {"NotInOpenStack",
     {.rest = "rest: { envelope: 'thing' identity: { marker: 'tags' } update: PUT }"},
     "8: Thing: does not say where it is in OpenStack; rest: { service: \"network\" path: \"/networks\" … }"},
    {"ListWithoutEnvelope",
     {.rest = "rest: { service: 'test' path: '/things' identity: { marker: 'tags' } update: PUT }"},
     "8: Thing: does not say what holds the objects of a LIST; envelope, or list_envelope if objects have none"},
    {"NoIdentity",
     {.rest = "rest: { service: 'test' path: '/things' envelope: 'thing' update: PUT }"},
     "8: Thing: no identity, or more than one; exactly one of marker, client_id, natural_key in rest.identity"},
    {"TwoIdentities",
     {.rest = "rest: { service: 'test' path: '/things' envelope: 'thing' update: PUT identity: { marker: 'tags' natural_key: "
              "'name' } }"},
     "8: Thing: no identity, or more than one; exactly one of marker, client_id, natural_key in rest.identity"},
    {"StateWithoutWhatIsReady",
     {.rest =
          "rest: { service: 'test' path: '/things' envelope: 'thing' update: PUT identity: { marker: 'tags' } state: { field: "
          "'status' } }"},
     "8: Thing: a state without its field or without what is ready; state: { field: \"status\" ready: \"ACTIVE\" }"},
    {"MutableFieldButNoUpdate",
     {.rest = "rest: { service: 'test' path: '/things' envelope: 'thing' identity: { marker: 'tags' } }",
      .parameters = "// Its size.\noptional bool big = 1;"},
     "20: big: may change, but Thing says that the service cannot change such an object; immutable, replaces or a subresource; "
     "or "
     "rest.update of the kind"},
    {"ShapeOfTwoSorts",
     {.messages = "message Spec {}"},
     "8: Thing: not the shape of a kind; nested messages Parameters and Observation (a managed resource), or Spec and Status "
     "(a "
     "configuration)"},
    {"NameThatAnotherKindHas",
     {.kind = "short_names: 'things'"},
     "8: Thing: things is a name of test.Thing already; another plural or short name"},
};
INSTANTIATE_TEST_SUITE_P(Kind, BadProto, testing::ValuesIn(kKinds), CaseName);

TEST(Check, WrongFile) {
  EXPECT_THAT(
      ProblemsOf(ThingProto({}), "apis/test/v1alpha1/other.proto"),
      ElementsAre("apis/test/v1alpha1/other.proto:8: Thing: package kupen.apis.test.v1alpha1 in this file; it belongs in "
                  "apis/test/v1alpha1/thing.proto"));
}

TEST(Check, TwoKindsInOneFile) {
  const std::string second =
      "// Another.\nmessage Other { option (options.v1.kind) = {}; message Spec {} message Status {} }\n";
  EXPECT_THAT(ProblemsOf(absl::StrCat(ThingProto({}), second)),
              Contains(HasSubstr("Other: a second kind in one file; one file per kind")));
}

TEST(Check, ConfigurationWithRest) {
  const std::string second =
      "// Another.\nmessage Other { option (options.v1.kind) = { rest: {} }; message Spec {} message Status {} }\n";
  EXPECT_THAT(ProblemsOf(absl::StrCat(ThingProto({}), second)),
              Contains(HasSubstr("Other: a configuration with rest; only managed resources are in OpenStack")));
}

TEST(Check, LeavesMisspeltOptionsToProtoc) {
  const std::string proto = ThingProto({.parameters = "optional bool big = 1 [(options.v1.field) = { requird: true }];"});
  EXPECT_THAT(std::string(LoadProto(test::kThingPath, proto).status().message()), HasSubstr("requird"));
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
