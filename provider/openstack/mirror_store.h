// What a mirror of a collection remembers: of the objects that are ours or that somebody refers to, the fields that matter, as
// compact JSON. Everything else in the collection passes by.
//
//   MirrorStore store({"id", "status"}, [](const rapidjson::Value& item) { return MarkerOf(item); });
//   store.Track(id);                                   // refers to it; objects with a marker are kept anyway
//   store.BeginList();
//   for (…) store.PutListed(item);
//   MirrorStore::Listed listed = store.EndList();      // listed.missing: questions, not answers
//   store.Find(id)->body                               // {"id":"…","status":"ACTIVE"}
//
// Thread safety: all methods may be called from any thread; one list at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/strings/string_view.h"
#include "rapidjson/document.h"

namespace kupen::openstack {

enum class Presence : std::uint8_t {
  // Nobody has asked the cloud yet.
  kUnknown,
  kPresent,
  // The cloud says that there is no such object.
  kGone,
};

struct MirroredObject {
  Presence presence = Presence::kUnknown;
  // The fields that are kept, in the order of their names' list, or all in alphabetical order. Null unless present.
  std::shared_ptr<const std::string> body = nullptr;
};

// An object that is not what it was.
struct MirrorChange {
  std::string id;
  // Empty if it has none.
  std::string marker;

  friend bool operator==(const MirrorChange&, const MirrorChange&) = default;
};

class MirrorStore {
 public:
  // Gives the ownership marker of an object of ours; empty for all others.
  using MarkerOf = std::function<std::string(const rapidjson::Value& item)>;
  // Whether an object is shown without what is known of it: it keeps its marker.
  using SaysNothing = std::function<bool(const rapidjson::Value& item)>;

  struct Listed {
    std::vector<MirrorChange> changes;
    // Objects that somebody needs and the list did not have.
    std::vector<std::string> missing;
    // Of so many.
    size_t tracked = 0;
  };

  // Without fields all are kept. The id key is the member that identifies an object.
  MirrorStore(std::vector<std::string> fields, MarkerOf marker_of, std::string id_key = "id",
              SaysNothing says_nothing = nullptr)
      : fields_(std::move(fields)),
        marker_of_(std::move(marker_of)),
        id_key_(std::move(id_key)),
        says_nothing_(std::move(says_nothing)) {}

  // Somebody refers to the object, as many times as this is called.
  void Track(const std::string& id);
  void Untrack(const std::string& id);

  // Objects in transition, to be looked at often.
  void SetBusy(const std::string& id, bool busy);
  std::vector<std::string> Busy() const;

  void BeginList();
  std::optional<MirrorChange> PutListed(const rapidjson::Value& item);
  Listed EndList();
  // It did not come to its end: what it lacks means nothing.
  void AbandonList();

  // From an answer about this object alone. A list that is under way does not overwrite it: its page may be older.
  std::optional<MirrorChange> Put(const rapidjson::Value& item);
  std::optional<MirrorChange> PutGone(const std::string& id);

  // Nothing if nobody tracks the object and it is not ours.
  std::optional<MirroredObject> Find(const std::string& id) const;
  std::vector<std::string> FindByMarker(const std::string& marker) const;
  size_t size() const;

 private:
  struct Entry {
    MirroredObject object;
    std::string marker;
    int references = 0;
    // Numbers of lists.
    std::uint32_t tracked_since = 0;
    std::uint32_t seen_in = 0;
    std::uint32_t asked_in = 0;
    bool busy = false;
  };

  std::optional<MirrorChange> PutLocked(const std::string& id, const rapidjson::Value& item);
  void SetMarker(const std::string& id, Entry& entry, std::string marker);

  const std::vector<std::string> fields_;
  const MarkerOf marker_of_;
  const std::string id_key_;
  const SaysNothing says_nothing_;
  mutable std::mutex mutex_;
  std::uint32_t list_ = 1;
  bool listing_ = false;
  std::unordered_map<std::string, Entry> entries_;
  std::map<std::string, std::set<std::string>> by_marker_;
};

}  // namespace kupen::openstack
