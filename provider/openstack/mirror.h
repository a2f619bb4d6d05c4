// The mirror of one collection: a list of all objects now and then replaces a question per object.
//
//   Mirror networks(session, {.rest = kNetworks, .fields = {"id", "name", "status"}, .marker_of = MarkerOf}, clock, events);
//   std::jthread thread([&](std::stop_token stop) { networks.Run(stop); });
//   networks.Track(id);                       // somebody needs it; what carries our marker is kept anyway
//   networks.SetBusy(id, true);               // in transition: looked at every 2 s instead
//   networks.Find(id)
//   RETURN_IF_ERROR(networks.Refresh(stop));  // then FindByMarker() is what the cloud has now
//
// In the calm there is a full list every 30 s (list_interval), or as much more seldom as keeps it below a twentieth of the
// time. Absence from a list is a question (a down cell, a lost role or a filter also hide objects behind a 200): a GET by id
// decides, and only NOT_FOUND or DELETED means gone. If more than 10 objects and 5 % of the collection are missing at once,
// nothing is believed until the credentials turn out to be what they were and a second list agrees. Thread safety: all methods
// may be called from any thread; Run() from one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "provider/base/clock.h"
#include "provider/openstack/mirror_store.h"
#include "provider/openstack/query.h"
#include "provider/openstack/rest.h"
#include "provider/openstack/session.h"

namespace kupen::openstack {

// How a service can be asked about a few objects of a collection.
enum class BusyPoll : std::uint8_t {
  // Only one by one.
  kGetEach,
  // ?id=a&id=b (Neutron).
  kRepeatedIds,
  // ?id=in:a,b (Glance).
  kIdsIn,
  // ?changes-since=… (Nova): what changed lately, deleted objects too.
  kChangesSince,
};

struct MirrorSpec {
  RestSpec rest;
  // Of every list: {{"all_tenants", "1"}}.
  Query filters = {};
  // What to keep of an object; empty for everything (images have members of their users' choice).
  std::vector<std::string> fields;
  MirrorStore::MarkerOf marker_of;
  BusyPoll busy_poll = BusyPoll::kGetEach;
  // How often there is a full list, in the calm.
  absl::Duration list_interval = absl::Seconds(30);
  // Whether a service says next to nothing of an object, not even its marker, as it cannot tell at the moment. May be null.
  MirrorStore::SaysNothing says_nothing = nullptr;
};

// Called from the thread of Run().
struct MirrorEvents {
  std::function<void(const MirrorChange& change)> on_change;
  // Too much is missing to be believed; once each time it begins.
  std::function<void(const std::string& message)> on_doubt;
};

class Mirror {
 public:
  // Session and clock must outlive this.
  Mirror(Session& session, MirrorSpec spec, Clock& clock, MirrorEvents events);

  // Until a stop is requested.
  void Run(const std::stop_token& stop);
  // One turn of it: asks the cloud what is due to be asked. False if nothing is.
  bool PollDue(const std::stop_token& stop);

  void Track(const std::string& id) { store_.Track(id); }
  void Untrack(const std::string& id) { store_.Untrack(id); }
  void SetBusy(const std::string& id, bool busy);

  // Nothing if nobody tracks it and it is not ours.
  std::optional<MirroredObject> Find(const std::string& id) const { return store_.Find(id); }
  std::vector<std::string> FindByMarker(const std::string& marker) const { return store_.FindByMarker(marker); }

  // What the caller has learned from an answer of its own. No change is reported: the caller knows.
  void Observe(const rapidjson::Value& object) { store_.Put(object); }
  void ObserveGone(const std::string& id) { store_.PutGone(id); }

  // Returns when a list that began after the call has been read, with that list's result. UNAVAILABLE: it is in doubt, or of
  // some objects it said nothing.
  absl::Status Refresh(const std::stop_token& stop);

 private:
  // What the credentials were good for.
  struct Access {
    std::string project_id;
    std::vector<std::string> roles;

    friend bool operator==(const Access&, const Access&) = default;
  };

  void WaitForWork(const std::stop_token& stop);
  void PollAll(const std::stop_token& stop);
  absl::Status List(const std::stop_token& stop);
  absl::Status Judge(const MirrorStore::Listed& listed, const std::stop_token& stop);
  std::vector<std::string> Believed(const std::vector<std::string>& missing, const std::stop_token& stop) const;
  void PollBusy(const std::stop_token& stop);
  void PollByIds(const std::vector<std::string>& ids, const std::stop_token& stop);
  void PollChanges(const std::stop_token& stop);
  // One GET, which decides.
  void Ask(const std::string& id, const std::stop_token& stop);
  void Take(const rapidjson::Value& item);
  void Report(const std::optional<MirrorChange>& change) const;

  Session& session_;
  const MirrorSpec spec_;
  Rest rest_;
  Clock& clock_;
  const MirrorEvents events_;
  MirrorStore store_;

  // Of the thread of Run() alone.
  std::optional<Access> access_;
  std::set<std::string> doubted_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  absl::Time next_list_ = absl::InfinitePast();
  absl::Time next_busy_ = absl::InfiniteFuture();
  // Refreshes, counted: asked for, and answered by the last list.
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  absl::Status list_status_;
};

}  // namespace kupen::openstack
