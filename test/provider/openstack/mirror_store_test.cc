#include "provider/openstack/mirror_store.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"

namespace kupen::openstack {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// An object is ours if its description says so.
std::string MarkerOf(const rapidjson::Value& item) {
  const absl::string_view description = json::String(item, {"description"});
  return absl::StartsWith(description, "kpn:") ? std::string(description) : "";
}

class MirrorStoreTest : public testing::Test {
 protected:
  std::optional<MirrorChange> PutListed(const std::string& text) { return store_.PutListed(*json::Parse(text)); }
  std::optional<MirrorChange> Put(const std::string& text) { return store_.Put(*json::Parse(text)); }

  // What the list lacked.
  std::vector<std::string> ListOf(const std::vector<std::string>& items) {
    store_.BeginList();
    for (const std::string& item : items) PutListed(item);
    return store_.EndList().missing;
  }

  std::string Body(const std::string& id) const {
    const std::optional<MirroredObject> object = store_.Find(id);
    if (!object.has_value()) return "not kept";
    return object->presence == Presence::kPresent ? *object->body : object->presence == Presence::kGone ? "gone" : "unknown";
  }

  MirrorStore store_{{"id", "status", "links"}, MarkerOf};
};

TEST_F(MirrorStoreTest, KeepsWhatIsOursOrReferredTo) {
  store_.Track("referred");
  ListOf({R"({"id": "others"})", R"({"id": "referred", "status": "ACTIVE"})", R"({"id": "ours", "description": "kpn:1"})"});
  EXPECT_EQ(Body("others"), "not kept");
  EXPECT_EQ(Body("referred"), R"({"id":"referred","status":"ACTIVE"})");
  EXPECT_EQ(Body("ours"), R"({"id":"ours"})");
  EXPECT_EQ(store_.size(), 2U);
}

TEST_F(MirrorStoreTest, KeepsNamedFieldsInTheirOrder) {
  store_.Track("a");
  Put(R"({"links": [{"x": null}], "status": "DOWN", "other": {"big": "thing"}, "id": "a"})");
  EXPECT_EQ(Body("a"), R"({"id":"a","status":"DOWN","links":[{"x":null}]})");
}

TEST_F(MirrorStoreTest, WithoutFieldsKeepsAllInAlphabeticalOrder) {
  MirrorStore all({}, MarkerOf);
  all.Track("a");
  EXPECT_TRUE(all.Put(*json::Parse(R"({"os_distro": "debian", "id": "a", "hw_disk_bus": null})")).has_value());
  EXPECT_EQ(*all.Find("a").value_or(MirroredObject()).body, R"({"hw_disk_bus":null,"id":"a","os_distro":"debian"})");
  EXPECT_FALSE(all.Put(*json::Parse(R"({"id": "a", "hw_disk_bus": null, "os_distro": "debian"})")).has_value());
}

TEST_F(MirrorStoreTest, ReportsOnlyWhatChanged) {
  store_.Track("a");
  EXPECT_TRUE(Put(R"({"id": "a", "status": "BUILD"})").has_value());
  EXPECT_FALSE(Put(R"({"status": "BUILD", "id": "a", "updated_at": "later"})").has_value());
  EXPECT_TRUE(Put(R"({"id": "a", "status": "ACTIVE"})").has_value());
  EXPECT_TRUE(store_.PutGone("a").has_value());
  EXPECT_FALSE(store_.PutGone("a").has_value());
  EXPECT_TRUE(Put(R"({"id": "a", "status": "ACTIVE"})").has_value());
  EXPECT_FALSE(Put(R"({"id": "not-kept"})").has_value());
  EXPECT_FALSE(Put(R"({"name": "no id"})").has_value());
}

TEST_F(MirrorStoreTest, FindsByMarker) {
  ListOf({R"({"id": "1", "description": "kpn:x"})", R"({"id": "2", "description": "kpn:x"})",
          R"({"id": "3", "description": "kpn:y"})"});
  EXPECT_THAT(store_.FindByMarker("kpn:x"), ElementsAre("1", "2"));
  EXPECT_EQ(Put(R"({"id": "2", "description": "kpn:y"})"), (MirrorChange{.id = "2", .marker = "kpn:y"}));
  EXPECT_THAT(store_.FindByMarker("kpn:x"), ElementsAre("1"));
  EXPECT_EQ(store_.PutGone("1"), (MirrorChange{.id = "1", .marker = "kpn:x"})) << "the change says whose it was";
  EXPECT_THAT(store_.FindByMarker("kpn:x"), IsEmpty());
  EXPECT_EQ(Put(R"({"id": "3", "description": "taken over"})"), (MirrorChange{.id = "3", .marker = "kpn:y"}));
  EXPECT_EQ(Body("3"), "not kept");
}

TEST_F(MirrorStoreTest, AbsenceOfWhatIsTrackedIsAQuestion) {
  store_.Track("a");
  store_.Track("b");
  EXPECT_THAT(ListOf({R"({"id": "a"})"}), ElementsAre("b"));
  EXPECT_EQ(Body("b"), "unknown");
  EXPECT_THAT(ListOf({}), testing::UnorderedElementsAre("a", "b"));
  EXPECT_EQ(Body("a"), R"({"id":"a"})") << "as last seen";
  store_.PutGone("b");
  EXPECT_THAT(ListOf({R"({"id": "a"})"}), IsEmpty()) << "known to be gone";
}

TEST_F(MirrorStoreTest, AbsenceOfWhatNobodyNeedsIsAnAnswer) {
  ListOf({R"({"id": "a", "description": "kpn:1"})"});
  store_.BeginList();
  EXPECT_THAT(store_.EndList().changes, ElementsAre(MirrorChange{.id = "a", .marker = "kpn:1"}));
  EXPECT_EQ(Body("a"), "not kept");
  EXPECT_THAT(store_.FindByMarker("kpn:1"), IsEmpty());
}

TEST_F(MirrorStoreTest, ObjectsMadeDuringAListAreNotMissing) {
  store_.BeginList();
  store_.Track("new");
  Put(R"({"id": "new-and-ours", "description": "kpn:1"})");
  const MirrorStore::Listed listed = store_.EndList();
  EXPECT_THAT(listed.missing, IsEmpty());
  EXPECT_THAT(listed.changes, IsEmpty());
  EXPECT_EQ(Body("new-and-ours"), R"({"id":"new-and-ours"})");
}

TEST_F(MirrorStoreTest, AnswersDuringAListBeatItsPages) {
  store_.Track("a");
  store_.Track("b");
  ListOf({R"({"id": "a", "status": "ACTIVE"})", R"({"id": "b"})"});
  store_.BeginList();
  Put(R"({"id": "a", "status": "DELETING"})");
  store_.PutGone("b");
  EXPECT_FALSE(PutListed(R"({"id": "a", "status": "ACTIVE"})").has_value()) << "an older page";
  EXPECT_FALSE(PutListed(R"({"id": "b"})").has_value());
  EXPECT_THAT(store_.EndList().missing, IsEmpty());
  EXPECT_EQ(Body("a"), R"({"id":"a","status":"DELETING"})");
  EXPECT_EQ(Body("b"), "gone");
  ListOf({R"({"id": "a", "status": "ACTIVE"})"});
  EXPECT_EQ(Body("a"), R"({"id":"a","status":"ACTIVE"})") << "the next list is newer";
}

TEST_F(MirrorStoreTest, AbandonedListMeansNothing) {
  ListOf({R"({"id": "a", "description": "kpn:1"})"});
  store_.BeginList();
  store_.AbandonList();
  EXPECT_EQ(Body("a"), R"({"id":"a"})");
}

TEST_F(MirrorStoreTest, ReferencesAreCounted) {
  store_.Track("a");
  store_.Track("a");
  store_.SetBusy("a", true);
  Put(R"({"id": "a"})");
  store_.Untrack("a");
  EXPECT_EQ(Body("a"), R"({"id":"a"})");
  EXPECT_THAT(store_.Busy(), ElementsAre("a"));
  store_.Untrack("a");
  EXPECT_EQ(Body("a"), "not kept");
  EXPECT_THAT(store_.Busy(), IsEmpty());
  store_.Untrack("a");
}

TEST_F(MirrorStoreTest, OursStaysWhenNobodyRefersToIt) {
  store_.Track("a");
  Put(R"({"id": "a", "description": "kpn:1"})");
  store_.Untrack("a");
  EXPECT_EQ(Body("a"), R"({"id":"a"})");
  EXPECT_THAT(store_.FindByMarker("kpn:1"), ElementsAre("a"));
}

TEST_F(MirrorStoreTest, ObjectsMayGoByAnotherMember) {
  MirrorStore by_name({"name", "type"}, MarkerOf, "name");
  by_name.Track("key");
  by_name.BeginList();
  EXPECT_EQ(by_name.PutListed(*json::Parse(R"({"id": 7, "name": "key", "type": "ssh"})")),
            (MirrorChange{.id = "key", .marker = ""}));
  EXPECT_THAT(by_name.EndList().missing, IsEmpty());
  EXPECT_EQ(*by_name.Find("key").value_or(MirroredObject()).body, R"({"name":"key","type":"ssh"})");
}

}  // namespace
}  // namespace kupen::openstack
