// An API server in memory, as far as the reconciler uses one: get, create, merge patch, JSON patch of the status, events. What
// is written reaches the stores when the test says so, as with a watch that is a little late.
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "provider/http/transport.h"
#include "provider/managed/objects.h"
#include "rapidjson/document.h"

namespace kupen::test {

class FakeKube final : public http::Transport {
 public:
  explicit FakeKube(managed::Objects& objects) : objects_(objects) {}

  // Adds or replaces an object (JSON), as a user would: a new UID if it is new, a new generation if its spec changed. The
  // stores hear of it at once.
  void Put(const std::string& kind, const std::string& json);
  // Marks it as deleted; gone at once if it has no finalizers.
  void Delete(const std::string& kind, const std::string& ns, const std::string& name);
  // Statuses with that text in them are refused, as by a CRD that does not allow it.
  void RefuseStatusWith(const std::string& text);
  // Whether stores hear of writes at once (they do unless told otherwise), and all that they have missed.
  void set_late(bool late);
  void CatchUp();

  // A Secret, as somebody else makes and deletes it. Nobody hears of it.
  void PutSecret(const std::string& ns, const std::string& name, const std::string& json);
  void DeleteSecret(const std::string& ns, const std::string& name);
  rapidjson::Document GetSecret(const std::string& ns, const std::string& name) const;

  // As it is now; null if there is none.
  rapidjson::Document Get(const std::string& kind, const std::string& ns, const std::string& name) const;
  // "PATCH networks", "PATCH networks/status", "POST events": all writes so far.
  std::vector<std::string> writes() const;
  // The reasons of the events so far, once there are that many, or one of that reason; or, after ten seconds, without. The same
  // event twice may be sent as one.
  std::vector<std::string> AwaitEvents(size_t count) const;
  std::vector<std::string> AwaitEvent(const std::string& reason) const;
  // All bodies that were ever written, one after the other.
  std::string written_text() const;

  absl::StatusOr<http::Response> Send(const http::Request& request, const std::stop_token& stop) override;
  absl::StatusOr<http::Response> Stream(const http::Request&, const http::ResponseSink&, const http::BodySink&,
                                        const std::stop_token&) override {
    return absl::UnimplementedError("no watches here");
  }

 private:
  struct Place {
    std::string plural;
    std::string ns;
    std::string name;
    std::string subresource;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  static Place Parse(const std::string& target);
  http::Response Create(Place place, const http::Request& request);
  http::Response Patch(const Place& place, const http::Request& request);
  void Store(const Place& place, rapidjson::Document object);
  void Tell(const Place& place);
  std::string KindOf(const std::string& plural) const;

  managed::Objects& objects_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<Place, std::string> stored_;
  std::vector<Place> missed_;
  bool late_ = false;
  int version_ = 100;
  int uids_ = 0;
  std::vector<std::string> writes_;
  std::vector<std::string> events_;
  std::string text_;
  std::string refused_;
};

}  // namespace kupen::test
