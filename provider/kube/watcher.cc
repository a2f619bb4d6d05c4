#include "provider/kube/watcher.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/http/url.h"
#include "provider/json/json.h"
#include "provider/kube/error.h"
#include "provider/kube/line_splitter.h"

namespace kupen::kube {
namespace {

using Type = WatchEvent::Type;

// Random, so that all watches of a provider are not renewed at once.
constexpr int kMinServerSeconds = 240;
constexpr int kMaxServerSeconds = 290;
// A peer that died without a word never closes the connection; the server's own end has this much time to arrive.
constexpr absl::Duration kGrace = absl::Seconds(5);
// etcd holds no object of more than 1.5 MB.
constexpr size_t kMaxLine = size_t{16} << 20;
constexpr absl::Duration kMissingResourcePause = absl::Seconds(30);
// A watch that brought nothing and did not last this long is a failure, even if it was closed in good order.
constexpr absl::Duration kTooShort = absl::Seconds(5);
constexpr absl::Duration kHealthy = absl::Minutes(2);

}  // namespace

Watcher::Watcher(const Client& client, Clock& clock, WatcherOptions options, EventSink on_event, ProblemSink on_problem)
    : client_(client),
      clock_(clock),
      options_(std::move(options)),
      on_event_(std::move(on_event)),
      on_problem_(std::move(on_problem)),
      streaming_list_(options_.streaming_list) {}

void Watcher::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const absl::Duration pause = Step(stop);
    if (pause > absl::ZeroDuration()) clock_.SleepFor(pause, stop);
  }
}

absl::Duration Watcher::Step(const std::stop_token& stop) {
  switch (state_) {
    case State::kEmpty:
      return Start();
    case State::kListing:
      return ListNextPage(stop);
    case State::kStreaming:
      return StreamAll(stop);
    case State::kWatching:
      return WatchChanges(stop);
  }
  return absl::ZeroDuration();
}

absl::Duration Watcher::Start() {
  on_event_({.type = Type::kInit});
  continue_token_.clear();
  state_ = streaming_list_ ? State::kStreaming : State::kListing;
  return absl::ZeroDuration();
}

absl::Duration Watcher::ListNextPage(const std::stop_token& stop) {
  const absl::StatusOr<Page> page = client_.ListPage(options_.resource, options_.scope, continue_token_, stop);
  if (!page.ok()) {
    if (IsExpired(page.status())) state_ = State::kEmpty;
    return Failed(page.status(), stop);
  }
  for (const rapidjson::Value& item : json::Array(page->list, {"items"}))
    on_event_({.type = Type::kInitApply, .object = &item});
  continue_token_ = page->continue_token;
  if (continue_token_.empty()) {
    resource_version_ = page->resource_version;
    state_ = State::kWatching;
    on_event_({.type = Type::kInitDone});
  }
  return absl::ZeroDuration();
}

absl::Duration Watcher::StreamAll(const std::stop_token& stop) {
  const absl::Time start = clock_.Now();
  const absl::Status ended = Watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan", stop);
  if (state_ == State::kWatching) return AfterWatch(ended, start, stop);
  state_ = State::kEmpty;
  if (absl::IsInvalidArgument(ended) || absl::IsUnimplemented(ended)) {
    streaming_list_ = false;
    return absl::ZeroDuration();
  }
  return Failed(ended.ok() ? absl::UnavailableError("the watch ended before all objects were sent") : ended, stop);
}

absl::Duration Watcher::WatchChanges(const std::stop_token& stop) {
  const absl::Time start = clock_.Now();
  const absl::Status ended = Watch(absl::StrCat("resourceVersion=", http::Escape(resource_version_)), stop);
  return AfterWatch(ended, start, stop);
}

absl::Duration Watcher::AfterWatch(const absl::Status& ended, absl::Time start, const std::stop_token& stop) {
  const absl::Duration lived = clock_.Now() - start;
  if (lived >= kHealthy) backoff_.Reset();
  if (IsExpired(ended) || absl::IsNotFound(ended)) state_ = State::kEmpty;
  // Normal: the server keeps few old versions, and a list is the answer.
  if (IsExpired(ended) && events_ > 0) return absl::ZeroDuration();
  if (!ended.ok()) return Failed(ended, stop);
  return lived < kTooShort && events_ == 0 ? backoff_.Next() : absl::ZeroDuration();
}

absl::Status Watcher::Watch(absl::string_view query, const std::stop_token& stop) {
  const int seconds = absl::Uniform(absl::IntervalClosed, random_, kMinServerSeconds, kMaxServerSeconds);
  LineSplitter splitter(kMaxLine);
  absl::Status inside;
  events_ = 0;
  const absl::Status ended = client_.Watch(
      options_.resource, options_.scope, absl::StrCat(query, "&allowWatchBookmarks=true&timeoutSeconds=", seconds),
      absl::Seconds(seconds) + kGrace,
      [&](absl::string_view piece) {
        inside = splitter.Feed(piece, [this](absl::string_view line) { return TakeLine(line); });
        return inside.ok();
      },
      stop);
  return inside.ok() ? ended : Annotate(inside, absl::StrCat("watch ", options_.resource.ToString()));
}

absl::Status Watcher::TakeLine(absl::string_view line) {
  const absl::StatusOr<rapidjson::Document> event = json::Parse(line);
  // Not INVALID_ARGUMENT, which is how a server refuses a streaming list.
  if (!event.ok()) return absl::DataLossError(event.status().message());
  const absl::string_view type = json::String(*event, {"type"});
  const rapidjson::Value* object = json::Find(*event, {"object"});
  if (object == nullptr) return absl::DataLossError("an event without an object");
  if (type == "ERROR") return ErrorOfStatusObject(*object);

  // Without it the next watch would begin anywhere.
  const absl::string_view version = json::String(*object, {"metadata", "resourceVersion"});
  if (version.empty())
    return absl::DataLossError(absl::StrCat("an object without a version, in an event of type \"", type, "\""));
  ++events_;
  resource_version_ = std::string(version);
  if (type == "BOOKMARK") {
    TakeBookmark(*object);
  } else if (type == "ADDED" || type == "MODIFIED") {
    on_event_({.type = state_ == State::kStreaming ? Type::kInitApply : Type::kApply, .object = object});
  } else if (type == "DELETED") {
    on_event_({.type = Type::kDelete, .object = object});
  } else {
    return absl::DataLossError(absl::StrCat("an event of the unknown type \"", type, "\""));
  }
  return absl::OkStatus();
}

void Watcher::TakeBookmark(const rapidjson::Value& object) {
  const bool is_end = json::String(object, {"metadata", "annotations", "k8s.io/initial-events-end"}) == "true";
  if (state_ != State::kStreaming || !is_end) return;
  state_ = State::kWatching;
  on_event_({.type = Type::kInitDone});
}

absl::Duration Watcher::Failed(const absl::Status& status, const std::stop_token& stop) {
  if (stop.stop_requested()) return absl::ZeroDuration();
  on_problem_(status);
  const absl::Duration pause = backoff_.Next();
  if (absl::IsNotFound(status)) return std::max(pause, kMissingResourcePause);
  return std::max(pause, RetryAfter(status).value_or(absl::ZeroDuration()));
}

}  // namespace kupen::kube
