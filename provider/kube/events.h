// Records core/v1 Events without ever keeping the caller waiting.
//
//   EventRecorder recorder(client, SystemClock(), {.component = "provider-kupenstack"});
//   recorder.Record(network, EventRecorder::Type::kWarning, "CannotCreate", "quota exceeded for resources: network");
//
// * The same news about the same object again raises the event's count instead of making another.
// * An object may have 25 records at once and then one every five minutes, as with client-go: one that fails over and over must
// not
//   fill etcd. What is too much is dropped, and so is what does not fit the queue or the API server refuses; dropped() counts
//   it.
//
// Thread safety: all methods may be called from any thread. Destroying it drops what is still queued.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/base/clock.h"
#include "provider/kube/client.h"
#include "provider/kube/resource.h"

namespace kupen::kube {

// What an event is about.
struct ObjectReference {
  std::string api_version;
  std::string kind;
  ObjectKey key;
  std::string uid = {};
};

struct EventOptions {
  // Who reports.
  std::string component;
  // On which node or in which pod.
  std::string instance = {};
  size_t max_queued = 1000;
  // Called from the sender's thread with what the API server says to an event that is dropped.
  std::function<void(const absl::Status&)> on_problem = nullptr;
};

class EventRecorder {
 public:
  enum class Type : uint8_t { kNormal, kWarning };
  // Of the event itself.
  using Annotations = std::vector<std::pair<std::string, std::string>>;

  EventRecorder(const Client& client, Clock& clock, EventOptions options);

  void Record(const ObjectReference& object, Type type, absl::string_view reason, absl::string_view message,
              const Annotations& annotations = {});

  size_t dropped() const;

 private:
  struct News {
    ObjectReference object;
    Type type = Type::kNormal;
    std::string reason;
    std::string message;
    Annotations annotations;
  };
  // One piece of news that was, or is to be, sent.
  struct Series {
    News news = {};
    // Empty until it was sent.
    std::string event_name = {};
    int count = 0;
    absl::Time first = absl::InfinitePast();
    absl::Time last = absl::InfinitePast();
    bool queued = false;
  };
  struct Bucket {
    double tokens = 0;
    absl::Time filled;
  };

  bool TakeToken(const std::string& object, absl::Time now);
  void Forget(absl::Time now);
  void Run(const std::stop_token& stop);
  void Send(const std::string& id, const std::stop_token& stop);
  absl::StatusOr<std::string> TrySend(const Series& series, const std::stop_token& stop) const;
  std::string Body(const Series& series, const std::string& name) const;

  const Client client_;
  Clock& clock_;
  const EventOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable_any queued_;
  // By object, type, reason and message.
  absl::flat_hash_map<std::string, Series> series_;
  absl::flat_hash_map<std::string, Bucket> buckets_;
  // Keys of series_.
  std::deque<std::string> queue_;
  size_t dropped_ = 0;
  std::jthread thread_;
};

}  // namespace kupen::kube
