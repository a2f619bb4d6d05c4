// What federations and GitOps tools rely on in a status, for every kind: the same state of the cloud gives the same bytes, in
// the same shape, and never too many of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apis/registry/registry.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "provider/managed/kind.h"
#include "test/provider/managed/world.h"

namespace kupen::test {
namespace {

using rapidjson::Document;
using rapidjson::Value;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Field = google::protobuf::FieldDescriptor;

constexpr size_t kLargestStatus = 16 * 1024;
constexpr char kVolatile[] = "at 2027-01-15T08:00:00Z (Request-ID: req-11111111-2222-4333-8444-555555555555) <0x7f00deadbeef>";

Value SampleOne(const schema::FieldPlan& field, int which, size_t length, json::Allocator& allocator) {
  if (field.message != nullptr) {
    Value object(rapidjson::kObjectType);
    for (const schema::FieldPlan& inner : field.message->fields) {
      if (!inner.wire.empty()) json::Set(object, inner.wire.front(), SampleOne(inner, which, length, allocator), allocator);
    }
    return object;
  }
  switch (field.type) {
    case Field::CPPTYPE_BOOL:
      return Value(which % 2 == 0);
    case Field::CPPTYPE_STRING:
      return json::Text(absl::StrCat(field.json, "-", which, std::string(length, 'x')), allocator);
    default:
      return Value(100 + which);
  }
}

// A value of a field as a service might have it; what has no order comes in one or the other.
Value Sample(const schema::FieldPlan& field, bool reversed, size_t length, json::Allocator& allocator) {
  // More than a status may have, if texts are long.
  const int count = length > 0 ? 100 : 3;
  std::vector<int> order(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) order[static_cast<size_t>(i)] = i;
  if (reversed) std::reverse(order.begin(), order.end());
  if (field.map) {
    Value map(rapidjson::kObjectType);
    for (const int which : order) {
      json::Set(map, absl::StrCat("key-", which), absl::StrCat("value-", which, std::string(length, 'x')), allocator);
    }
    return map;
  }
  if (!field.repeated) return SampleOne(field, 1, length, allocator);
  Value list(rapidjson::kArrayType);
  const bool shuffle = field.options.unordered();
  for (int i = 0; i < count; ++i) {
    list.PushBack(SampleOne(field, shuffle ? order[static_cast<size_t>(i)] : i, length, allocator), allocator);
  }
  return list;
}

void SetAt(Value& object, const std::vector<std::string>& path, Value value, json::Allocator& allocator) {
  Value* holder = &object;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    if (!holder->HasMember(path[i].c_str())) json::Set(*holder, path[i], Value(rapidjson::kObjectType), allocator);
    holder = &(*holder)[path[i].c_str()];
  }
  json::Set(*holder, path.back(), std::move(value), allocator);
}

class StatusContract : public testing::TestWithParam<std::string> {
 protected:
  StatusContract() {
    world_.service.SetShape(collection_, {.bare = kind_.rest.item_key.empty(), .id_key = kind_.rest.id_key});
    world_.service.SetDefaults(collection_, CloudObject(/*reversed=*/false));
  }

  // All that the service can say of an object.
  std::string CloudObject(bool reversed, size_t length = 0) const {
    Document object(rapidjson::kObjectType);
    auto& allocator = object.GetAllocator();
    for (const schema::FieldPlan& field : kind_.plan.observation.fields) {
      if (!field.wire.empty()) SetAt(object, field.wire, Sample(field, reversed, length, allocator), allocator);
    }
    for (const char* project : {"project_id", "tenant_id", "owner"}) {
      if (object.HasMember(project)) json::Set(object, project, "p1", allocator);
    }
    if (kind_.options().has_state()) SetState(object, kind_.options().state().ready(0));
    object.RemoveMember(kind_.rest.id_key.c_str());
    object.RemoveMember("name");
    if (kind_.HasMarker()) object.RemoveMember(kind_.options().identity().marker().c_str());
    return json::Write(object);
  }
  void SetState(Document& object, const std::string& state) const {
    json::Set(object, kind_.options().state().field(), state, object.GetAllocator());
  }

  void Create(const std::string& spec = R"("forProvider":{})") {
    world_.kube.Put(GetParam(), absl::StrCat(R"({"metadata":{"name":"one","namespace":"team"},"spec":{)", spec, "}}"));
    world_.Settle();
  }
  Document Get() const { return world_.kube.Get(GetParam(), kNamespace, "one"); }
  std::string Status() const {
    const Document object = Get();
    return object.HasMember("status") ? json::Write(object["status"]) : "";
  }
  std::string Condition(const std::string& type) const { return world_.Condition(GetParam(), "one", type); }
  std::string TransitionOf(const std::string& type) const {
    const Document object = Get();
    const Value* condition = kube::FindCondition(object, type);
    return condition == nullptr ? "" : std::string(json::String(*condition, {"lastTransitionTime"}));
  }
  void ExpectShape() const {
    const Document object = Get();
    ASSERT_TRUE(object.HasMember("status"));
    const int64_t generation = object["metadata"]["generation"].GetInt64();
    EXPECT_EQ(object["status"]["observedGeneration"].GetInt64(), generation);
    std::vector<std::string> types;
    for (const Value& condition : json::Array(object, {"status", "conditions"})) {
      types.emplace_back(json::String(condition, {"type"}));
      // What the cloud could not be asked about is as it was, and says of when that is.
      const int64_t seen = condition["observedGeneration"].GetInt64();
      EXPECT_TRUE(seen == generation || (seen < generation && !kube::IsTrue(object, "Synced"))) << types.back();
      EXPECT_LE(json::String(condition, {"message"}).size(), 512U);
    }
    EXPECT_THAT(types, ElementsAre("Ready", "Reconciling", "Stalled", "Synced", "UpToDate"));
    EXPECT_FALSE(kube::IsTrue(object, "Reconciling") && kube::IsTrue(object, "Stalled"));
    for (const auto& member : object["status"]["federation"].GetObject()) {
      EXPECT_TRUE(member.value.IsString() || member.value.IsBool() || member.value.IsInt64()) << json::String(member.name);
    }
    EXPECT_LE(Status().size(), kLargestStatus);
  }
  // The mirrors read the cloud anew.
  void Relist() {
    world_.clock.AwaitWaiters(1);
    world_.clock.Advance(absl::Seconds(31));
    world_.clock.AwaitWaiters(1);
    world_.Settle();
  }

  const managed::ManagedKind kind_{*apis::Registry().Find(GetParam())};
  const std::string collection_ = kind_.rest.path.substr(1);
  World world_;
};

TEST_P(StatusContract, HasItsShapeWhenAllIsWell) {
  Create();
  ASSERT_EQ(Condition("Ready"), "True Available") << Condition("Synced");
  ExpectShape();
  EXPECT_TRUE(Get()["status"]["federation"]["ready"].GetBool());
  EXPECT_EQ(json::String(Get(), {"status", "federation", "externalID"}), world_.ExternalName(GetParam(), "one"));
  EXPECT_EQ(json::String(Get(), {"status", "federation", "clusterID"}), "c1057e40-0000-4000-8000-000000000000");
}

TEST_P(StatusContract, IsTheSameBytesHoweverOftenAndInWhateverOrder) {
  Create();
  const std::string id = world_.ExternalName(GetParam(), "one");
  // Without what the creation has set.
  world_.service.Put(collection_, id, CloudObject(/*reversed=*/false));
  Relist();
  const std::string status = Status();
  world_.kube.AwaitEvents(1);
  const size_t writes = world_.kube.writes().size();
  for (int i = 0; i < 20; ++i) {
    world_.service.Put(collection_, id, CloudObject(/*reversed=*/i % 2 == 0));
    Relist();
  }
  world_.Restart();
  world_.SettleAfter(absl::Seconds(11));
  EXPECT_EQ(Status(), status);
  EXPECT_EQ(world_.kube.writes().size(), writes) << world_.kube.written_text();
}

TEST_P(StatusContract, StaysSmall) {
  world_.service.SetDefaults(collection_, CloudObject(/*reversed=*/false, /*length=*/2000));
  Create();
  EXPECT_EQ(Condition("Ready"), "True Available") << Condition("Synced");
  ExpectShape();
  EXPECT_NE(json::String(Get(), {"status", "atProvider", "id"}), "");
}

TEST_P(StatusContract, TransitionTimesMoveWithTheStatusAlone) {
  Create();
  const std::string created = TransitionOf("Synced");
  world_.clock.Advance(absl::Minutes(1));
  const auto fail = [this](const std::string& message) {
    world_.service.set_before([message](const http::Request&) -> std::optional<absl::StatusOr<http::Response>> {
      return absl::StatusOr<http::Response>(absl::UnavailableError(message));
    });
    world_.kube.Put(GetParam(),
                    absl::StrCat(R"({"metadata":{"name":"one","namespace":"team","annotations":{)",
                                 R"("crossplane.io/reconcile-requested-at":")", message, R"("}},"spec":{"forProvider":{}}})"));
    world_.Settle();
  };
  fail("first");
  EXPECT_THAT(Condition("Synced"), HasSubstr("first"));
  const std::string failed = TransitionOf("Synced");
  EXPECT_NE(failed, created);
  EXPECT_EQ(TransitionOf("Ready"), created) << "it is as ready as before";
  world_.clock.Advance(absl::Minutes(1));
  fail("second");
  EXPECT_THAT(Condition("Synced"), HasSubstr("second"));
  EXPECT_EQ(TransitionOf("Synced"), failed) << "another message is no transition";
  ExpectShape();
}

TEST_P(StatusContract, ErrorsAreSaidWithoutWhatDiffersFromTryToTry) {
  int tries = 0;
  world_.service.set_before([&tries](const http::Request& request) -> std::optional<absl::StatusOr<http::Response>> {
    if (request.method != "POST") return std::nullopt;
    const std::string more(1000, 'y');
    return absl::StatusOr<http::Response>(http::Response{
        .status = 400,
        .headers = {{"X-Openstack-Request-Id", absl::StrCat("req-00000000-2222-4333-8444-55555555555", ++tries % 10)}},
        .body = absl::StrCat(R"({"badRequest":{"message":"it broke )", kVolatile, " ", more, R"("}})")});
  });
  Create();
  ExpectShape();
  EXPECT_THAT(Condition("Stalled"), HasSubstr("True NeedsChange"));
  EXPECT_THAT(Condition("Synced"),
              AllOf(HasSubstr("it broke"), Not(HasSubstr("2027-01")), Not(HasSubstr("req-")), Not(HasSubstr("0x7f"))));
  const std::string status = Status();
  for (int i = 0; i < 3; ++i) world_.SettleAfter(absl::Minutes(6));
  EXPECT_GE(tries, 3);
  EXPECT_EQ(Status(), status);
}

TEST_P(StatusContract, IsThereSoonThoughTheCloudSaysNothing) {
  world_.service.set_before([](const http::Request&) -> std::optional<absl::StatusOr<http::Response>> {
    return absl::StatusOr<http::Response>(absl::DeadlineExceededError("no answer"));
  });
  Create();
  world_.SettleAfter(absl::Seconds(4));
  ExpectShape();
  EXPECT_THAT(Condition("Ready"), HasSubstr("False Creating"));
}

TEST_P(StatusContract, NothingElseOfTheObjectIsWritten) {
  Create();
  EXPECT_THAT(world_.kube.written_text(),
              AllOf(Not(HasSubstr("\"labels\"")), Not(HasSubstr("\"ownerReferences\"")), Not(HasSubstr("\"spec\""))));
}

std::vector<std::string> ManagedKinds() {
  std::vector<std::string> names;
  for (const apis::Kind& kind : apis::Registry().all()) {
    if (kind.managed()) names.push_back(kind.reference());
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(AllKinds, StatusContract, testing::ValuesIn(ManagedKinds()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace kupen::test
