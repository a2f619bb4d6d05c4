#include "provider/kube/store.h"

#include <malloc.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"

namespace kupen::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Type = WatchEvent::Type;

rapidjson::Document Parse(absl::string_view text) {
  auto document = json::Parse(text);
  EXPECT_TRUE(document.ok()) << document.status();
  return *std::move(document);
}

ObjectPtr Compact(absl::string_view text) {
  auto object = Object::From(Parse(text));
  EXPECT_TRUE(object.ok()) << object.status();
  return *std::move(object);
}

TEST(Object, LeavesOutWhatOnlyTheServerNeeds) {
  const ObjectPtr object = Compact(R"({
    "kind": "ConfigMap",
    "metadata": {"managedFields": [{"manager": "kubectl"}], "name": "a",
                 "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "x": "1"}},
    "data": {"ü": "\n"}})");
  EXPECT_EQ(object->json(), R"({"kind":"ConfigMap","metadata":{"name":"a","annotations":{"x":"1"}},"data":{"ü":"\n"}})");
  EXPECT_EQ(
      Compact(R"({"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"},"name":"a"}})")->json(),
      R"({"metadata":{"name":"a"}})");
}

TEST(Object, KnowsItsHeader) {
  const ObjectPtr object = Compact(R"({"spec":{"name":"other"},"metadata":{
    "name":"a","namespace":"n","uid":"u-1","resourceVersion":"17","generation":3,
    "labels":{"app":"web","tier":""},"deletionTimestamp":"2026-01-01T00:00:00Z"}})");
  EXPECT_EQ(object->name(), "a");
  EXPECT_EQ(object->ns(), "n");
  EXPECT_EQ(object->uid(), "u-1");
  EXPECT_EQ(object->resource_version(), "17");
  EXPECT_EQ(object->generation(), 3);
  EXPECT_TRUE(object->deleting());
  EXPECT_EQ(object->Label("app"), "web");
  EXPECT_EQ(object->Label("missing"), "");
  EXPECT_EQ(object->key().ToString(), "n/a");

  const ObjectPtr bare = Compact(R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(bare->ns(), "");
  EXPECT_EQ(bare->Label("app"), "");
  EXPECT_FALSE(bare->deleting());
  EXPECT_FALSE(Object::From(Parse(R"({"metadata":{}})")).ok());
  EXPECT_FALSE(Object::From(Parse("[]")).ok());
}

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    store_.AddHandler([this](const ObjectKey& key, Store::Change change) {
      static constexpr const char* kNames[] = {"initial ", "applied ", "deleted "};
      changes_.push_back(kNames[static_cast<int>(change)] + key.ToString());
      // A handler may read.
      EXPECT_EQ(store_.Get(key) == nullptr, change == Store::Change::kDeleted);
    });
  }

  void Take(Type type) { store_.Take({.type = type}); }
  void Take(Type type, const std::string& name, int version, const std::string& ns = "n") {
    const rapidjson::Document object = Parse(absl::StrCat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns,
                                                          R"(","resourceVersion":")", version, R"("}})"));
    store_.Take({.type = type, .object = &object});
  }
  std::vector<std::string> Changes() { return std::exchange(changes_, {}); }

  Store store_;
  std::vector<std::string> changes_;
};

TEST_F(StoreTest, ShowsAListOnlyWhenItIsComplete) {
  Take(Type::kInit);
  Take(Type::kInitApply, "a", 1);
  Take(Type::kInitApply, "b", 2);
  EXPECT_FALSE(store_.synced());
  EXPECT_EQ(store_.size(), 0);
  EXPECT_THAT(Changes(), IsEmpty());
  Take(Type::kInitDone);
  EXPECT_TRUE(store_.synced());
  EXPECT_EQ(store_.size(), 2);
  EXPECT_THAT(Changes(), UnorderedElementsAre("initial n/a", "initial n/b"));
}

TEST_F(StoreTest, FollowsChanges) {
  Take(Type::kInit);
  Take(Type::kInitApply, "a", 1);
  Take(Type::kInitDone);
  Changes();
  Take(Type::kApply, "b", 2);
  Take(Type::kApply, "a", 3);
  Take(Type::kApply, "a", 3);
  Take(Type::kDelete, "b", 4);
  Take(Type::kDelete, "b", 4);
  EXPECT_THAT(Changes(), ElementsAre("applied n/b", "applied n/a", "deleted n/b"));
  EXPECT_EQ(store_.Get({"n", "a"})->resource_version(), "3");
  EXPECT_EQ(store_.Get({"n", "b"}), nullptr);
}

TEST_F(StoreTest, FindsWhatWasMissedWhileDisconnected) {
  Take(Type::kInit);
  for (const char* name : {"same", "changed", "gone"}) Take(Type::kInitApply, name, 1);
  Take(Type::kInitDone);
  Changes();
  const ObjectPtr same = store_.Get({"n", "same"});

  Take(Type::kInit);
  Take(Type::kInitApply, "same", 1);
  Take(Type::kInitApply, "changed", 2);
  Take(Type::kInitApply, "new", 3);
  Take(Type::kInitApply, "brief", 4);
  Take(Type::kDelete, "brief", 5);
  EXPECT_NE(store_.Get({"n", "gone"}), nullptr);
  Take(Type::kInitDone);
  EXPECT_THAT(Changes(), UnorderedElementsAre("applied n/changed", "applied n/new", "deleted n/gone"));
  EXPECT_EQ(store_.Get({"n", "same"}), same) << "unchanged objects are not kept twice";
  EXPECT_EQ(store_.size(), 3);
}

TEST_F(StoreTest, AListThatIsStartedAgainForgetsTheFirstHalf) {
  Take(Type::kInit);
  Take(Type::kInitApply, "a", 1);
  Take(Type::kInit);
  Take(Type::kInitApply, "b", 1);
  Take(Type::kInitApply, "b", 2);
  Take(Type::kInitDone);
  EXPECT_THAT(Changes(), ElementsAre("initial n/b"));
  EXPECT_EQ(store_.Get({"n", "b"})->resource_version(), "2");
}

TEST_F(StoreTest, ListsByNamespace) {
  Take(Type::kInit);
  Take(Type::kInitApply, "a", 1, "n");
  Take(Type::kInitApply, "a", 2, "m");
  Take(Type::kInitDone);
  EXPECT_EQ(store_.All().size(), 2);
  ASSERT_EQ(store_.All("m").size(), 1);
  EXPECT_EQ(store_.All("m")[0]->resource_version(), "2");
}

TEST_F(StoreTest, WaitsForTheFirstList) {
  const std::stop_source stop;
  std::jthread writer([this] {
    Take(Type::kInit);
    Take(Type::kInitDone);
  });
  EXPECT_TRUE(store_.AwaitSynced(stop.get_token()));
  writer.join();
  const Store other;
  stop.request_stop();
  EXPECT_FALSE(other.AwaitSynced(stop.get_token()));
}

// A server of 1,650 bytes, most of them managedFields: STYLE.md's measure. 65 kB each would be a default document.
TEST_F(StoreTest, IsEconomical) {
  const std::string fields(500, 'f');
  const std::string spec(900, 's');
  const size_t before = mallinfo2().uordblks;
  Take(Type::kInit);
  for (int i = 0; i < 1000; ++i) {
    const rapidjson::Document object = Parse(absl::StrCat(R"({"metadata":{"name":"object-)", i,
                                                          R"(","namespace":"n","resourceVersion":"1","managedFields":[")",
                                                          fields, R"("]},"spec":")", spec, R"("})"));
    store_.Take({.type = Type::kInitApply, .object = &object});
  }
  Take(Type::kInitDone);
  changes_ = {};
  const size_t each = (mallinfo2().uordblks - before) / 1000;
  // The sanitizers' allocators report nothing.
  EXPECT_LT(each, 1400) << "bytes per object";
}

}  // namespace
}  // namespace kupen::kube
