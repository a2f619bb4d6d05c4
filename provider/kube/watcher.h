// Keeps someone informed of all objects of a resource: first of those that exist, then of each change, for ever.
//
//   Watcher watcher(client, SystemClock(), {.resource = kNetworks}, [&](const WatchEvent& event) { store.Take(event); },
//                   [](const absl::Status& problem) { log… });
//   watcher.Run(stop);
//
//            ┌────────────── 410, or the initial part was cut off ─────────────┐
//            ▼                                                                │
//         kEmpty ──▶ kStreaming (watch that begins with all objects) ──▶ kWatching ◀─┐ closed, or an error: resumes
//            │             │ not supported: remembered                       ▲   │ │ from the last version
//            └─────────────┴─▶ kListing (page by page) ─────────────────────┘   └─┘
//
// The events of one round are Init, InitApply…, InitDone, (Apply | Delete)…; then perhaps Init again. What is not named between
// an Init and its InitDone no longer exists. A Delete may also come between them.
//
// Problems are reported and tried again, with growing pauses: a resource that does not exist (its CRD is not installed) every
// half minute.
//
// Thread safety: one thread at a time; sinks are called from it.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/random/random.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/base/backoff.h"
#include "provider/base/clock.h"
#include "provider/kube/client.h"
#include "provider/kube/resource.h"
#include "rapidjson/document.h"

namespace kupen::kube {

struct WatchEvent {
  enum class Type : uint8_t { kInit, kInitApply, kInitDone, kApply, kDelete };
  Type type;
  // Null for Init and InitDone; else it lives as long as the call.
  const rapidjson::Value* object = nullptr;
};

struct WatcherOptions {
  Resource resource;
  ListOptions scope = ListOptions();
  // Whether to try a streaming list first: one request, and no page in memory.
  bool streaming_list = true;
};

class Watcher {
 public:
  enum class State : uint8_t { kEmpty, kStreaming, kListing, kWatching };
  using EventSink = std::function<void(const WatchEvent&)>;
  using ProblemSink = std::function<void(const absl::Status&)>;

  Watcher(const Client& client, Clock& clock, WatcherOptions options, EventSink on_event, ProblemSink on_problem);

  // Until a stop is requested.
  void Run(const std::stop_token& stop);

  // One request, or the step before it. Gives the pause before the next.
  absl::Duration Step(const std::stop_token& stop);

  State state() const { return state_; }

 private:
  absl::Duration Start();
  absl::Duration ListNextPage(const std::stop_token& stop);
  absl::Duration StreamAll(const std::stop_token& stop);
  absl::Duration WatchChanges(const std::stop_token& stop);

  absl::Duration AfterWatch(const absl::Status& ended, absl::Time start, const std::stop_token& stop);

  // One watch, to its end.
  absl::Status Watch(absl::string_view query, const std::stop_token& stop);
  absl::Status TakeLine(absl::string_view line);
  void TakeBookmark(const rapidjson::Value& object);
  absl::Duration Failed(const absl::Status& status, const std::stop_token& stop);

  const Client& client_;
  Clock& clock_;
  const WatcherOptions options_;
  const EventSink on_event_;
  const ProblemSink on_problem_;

  State state_ = State::kEmpty;
  bool streaming_list_;
  std::string continue_token_;
  std::string resource_version_;
  // That the current watch has brought.
  size_t events_ = 0;
  Backoff backoff_;
  absl::BitGen random_;
};

}  // namespace kupen::kube
