// The kube mirror: all objects of a resource, as last seen by a Watcher.
//
//   Store store;
//   store.AddHandler([&](const ObjectKey& key, Store::Change change) { queue.Add(key); });
//   Watcher watcher(client, clock, {.resource = kNetworks}, [&](const WatchEvent& event) { store.Take(event); }, …);
//   …
//   if (const ObjectPtr network = store.Get({"team", "private"})) …
//
// After a new list (Init … InitDone) the content is exchanged at once, so that readers never see half of it, and handlers hear
// of what changed or vanished meanwhile.
//
// Thread safety: all methods may be called from any thread; Take() from one at a time. Handlers are called by Take(), without a
// lock: they may read the store.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "provider/kube/object.h"
#include "provider/kube/resource.h"
#include "provider/kube/watcher.h"

namespace kupen::kube {

class Store {
 public:
  // kInitial: in the first list, as opposed to news.
  enum class Change : uint8_t { kInitial, kApplied, kDeleted };
  using Handler = std::function<void(const ObjectKey& key, Change change)>;

  // Before the first Take().
  void AddHandler(Handler handler) { handlers_.push_back(std::move(handler)); }

  void Take(const WatchEvent& event);

  // Null if there is none.
  ObjectPtr Get(const ObjectKey& key) const;
  // In no particular order; of all namespaces, if none is given.
  std::vector<ObjectPtr> All(absl::string_view ns = "") const;
  size_t size() const;

  // Whether the first list is complete.
  bool synced() const;
  // Waits for that; false if a stop came first.
  bool AwaitSynced(const std::stop_token& stop) const;

 private:
  using Place = std::pair<absl::string_view, absl::string_view>;
  // Keys are parts of the objects.
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Place& place) const { return absl::HashOf(place); }
    size_t operator()(const ObjectPtr& object) const { return absl::HashOf(Place(object->ns(), object->name())); }
  };
  struct Equal {
    using is_transparent = void;
    static Place Of(const Place& place) { return place; }
    static Place Of(const ObjectPtr& object) { return {object->ns(), object->name()}; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Of(a) == Of(b);
    }
  };
  using Objects = absl::flat_hash_set<ObjectPtr, Hash, Equal>;
  using Changes = std::vector<std::pair<ObjectKey, Change>>;

  void Init();
  void InitApply(const rapidjson::Value& object);
  Changes InitDone();
  Changes Apply(const rapidjson::Value& object);
  Changes Delete(const rapidjson::Value& object);

  std::vector<Handler> handlers_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any synced_changed_;
  bool synced_ = false;
  Objects objects_;
  // Between Init and InitDone.
  bool initializing_ = false;
  Objects next_;
};

}  // namespace kupen::kube
