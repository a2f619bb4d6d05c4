#include "provider/kube/events.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "provider/base/backoff.h"
#include "provider/base/text.h"
#include "provider/kube/error.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace kupen::kube {
namespace {

constexpr double kBurst = 25;
constexpr absl::Duration kRefill = absl::Minutes(5);
// After that, the same news is news again; the API server forgets an event after an hour.
constexpr absl::Duration kSeriesAge = absl::Minutes(10);
constexpr size_t kMaxRemembered = 4096;
constexpr size_t kMaxMessage = 1024;
constexpr int kTries = 3;

const Resource& Events() {
  static const Resource* const kEvents = new Resource{.version = "v1", .plural = "events"};
  return *kEvents;
}

std::string Shorten(absl::string_view message) {
  const std::string text = Utf8(Cut(message, 2 * kMaxMessage));
  return text.size() <= kMaxMessage ? text : absl::StrCat(Cut(text, kMaxMessage - 3), "...");
}

std::string FormatSeconds(absl::Time time) { return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone()); }

// Cluster-scoped objects' events live in the default namespace.
std::string EventNamespace(const ObjectReference& object) { return object.key.ns.empty() ? "default" : object.key.ns; }

std::string ObjectId(const ObjectReference& object) {
  return absl::StrCat(object.api_version, "\n", object.kind, "\n", object.key.ns, "\n", object.key.name, "\n", object.uid);
}

bool MayPass(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsResourceExhausted(status) ||
         absl::IsUnauthenticated(status);
}

}  // namespace

EventRecorder::EventRecorder(const Client& client, Clock& clock, EventOptions options)
    : client_(client),
      clock_(clock),
      options_(std::move(options)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void EventRecorder::Record(const ObjectReference& object, Type type, absl::string_view reason, absl::string_view message,
                           const Annotations& annotations) {
  News news{
      .object = object, .type = type, .reason = std::string(reason), .message = Shorten(message), .annotations = annotations};
  const std::string object_id = ObjectId(object);
  const std::string id = absl::StrCat(object_id, "\n", static_cast<int>(type), "\n", reason, "\n", news.message);
  const absl::Time now = clock_.Now();

  const std::lock_guard guard(mutex_);
  if (series_.size() >= kMaxRemembered || buckets_.size() >= kMaxRemembered) Forget(now);
  auto& series = series_[id];
  if (!series.queued && (!TakeToken(object_id, now) || queue_.size() >= options_.max_queued)) {
    ++dropped_;
    if (series.count == 0) series_.erase(id);
    return;
  }
  if (series.count == 0 || (!series.queued && now - series.last > kSeriesAge)) series = {.news = std::move(news), .first = now};
  ++series.count;
  series.last = now;
  if (!std::exchange(series.queued, true)) queue_.push_back(id);
  queued_.notify_all();
}

size_t EventRecorder::dropped() const {
  const std::lock_guard guard(mutex_);
  return dropped_;
}

bool EventRecorder::TakeToken(const std::string& object, absl::Time now) {
  Bucket& bucket = buckets_.try_emplace(object, Bucket{.tokens = kBurst, .filled = now}).first->second;
  bucket.tokens = std::min(kBurst, bucket.tokens + absl::FDivDuration(now - bucket.filled, kRefill));
  bucket.filled = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

// What is old; all that is not being sent, if that is not enough.
void EventRecorder::Forget(absl::Time now) {
  const auto forget = [this](absl::Time before) {
    absl::erase_if(series_, [&](const auto& entry) { return !entry.second.queued && entry.second.last < before; });
    absl::erase_if(buckets_, [&](const auto& entry) { return entry.second.filled < before; });
  };
  forget(now - kSeriesAge);
  if (series_.size() >= kMaxRemembered || buckets_.size() >= kMaxRemembered) forget(absl::InfiniteFuture());
}

void EventRecorder::Run(const std::stop_token& stop) {
  while (true) {
    std::string id;
    {
      std::unique_lock lock(mutex_);
      if (!queued_.wait(lock, stop, [this] { return !queue_.empty(); }) || stop.stop_requested()) return;
      id = std::move(queue_.front());
      queue_.pop_front();
    }
    Send(id, stop);
  }
}

void EventRecorder::Send(const std::string& id, const std::stop_token& stop) {
  Series series;
  {
    const std::lock_guard guard(mutex_);
    series_[id].queued = false;
    series = series_[id];
  }
  Backoff backoff;
  absl::StatusOr<std::string> sent = TrySend(series, stop);
  for (int tries = 1; tries < kTries && MayPass(sent.status()); ++tries) {
    if (!clock_.SleepFor(std::max(backoff.Next(), RetryAfter(sent.status()).value_or(absl::ZeroDuration())), stop)) return;
    sent = TrySend(series, stop);
  }
  if (!sent.ok() && options_.on_problem && !stop.stop_requested()) options_.on_problem(sent.status());
  const std::lock_guard guard(mutex_);
  if (!sent.ok()) ++dropped_;
  // Unless it began anew meanwhile.
  const auto found = series_.find(id);
  if (sent.ok() && found != series_.end() && found->second.first == series.first) found->second.event_name = *sent;
}

// Gives the event's name.
absl::StatusOr<std::string> EventRecorder::TrySend(const Series& series, const std::stop_token& stop) const {
  const std::string ns = EventNamespace(series.news.object);
  if (!series.event_name.empty()) {
    const std::string patch = absl::StrFormat(R"({"count":%d,"lastTimestamp":"%s"})", series.count, FormatSeconds(series.last));
    const absl::StatusOr<rapidjson::Document> patched = client_.MergePatch(Events(), {ns, series.event_name}, patch, {}, stop);
    if (patched.ok()) return series.event_name;
    if (!absl::IsNotFound(patched.status())) return patched.status();
  }
  // The same at each try: if an earlier one arrived after all, the name says so. With the count, that of an event that the API
  // server has forgotten is new.
  std::string name = absl::StrFormat("%s.%x.%x", series.news.object.key.name, absl::ToUnixNanos(series.first), series.count);
  const absl::StatusOr<rapidjson::Document> created = client_.Create(Events(), ns, Body(series, name), stop);
  if (created.ok() || absl::IsAlreadyExists(created.status())) return name;
  return created.status();
}

std::string EventRecorder::Body(const Series& series, const std::string& name) const {
  const ObjectReference& object = series.news.object;
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  const auto add = [&writer](const char* key, const std::string& value) {
    if (value.empty()) return;
    writer.Key(key);
    writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  };
  const auto begin = [&writer](const char* key) {
    writer.Key(key);
    writer.StartObject();
  };
  writer.StartObject();
  add("apiVersion", "v1");
  add("kind", "Event");
  begin("metadata");
  add("name", name);
  add("namespace", EventNamespace(object));
  if (!series.news.annotations.empty()) {
    begin("annotations");
    for (const auto& [key, value] : series.news.annotations) add(key.c_str(), value);
    writer.EndObject();
  }
  writer.EndObject();
  begin("involvedObject");
  add("apiVersion", object.api_version);
  add("kind", object.kind);
  add("namespace", object.key.ns);
  add("name", object.key.name);
  add("uid", object.uid);
  writer.EndObject();
  add("type", series.news.type == Type::kNormal ? "Normal" : "Warning");
  add("reason", series.news.reason);
  add("message", series.news.message);
  begin("source");
  add("component", options_.component);
  add("host", options_.instance);
  writer.EndObject();
  add("reportingComponent", options_.component);
  add("reportingInstance", options_.instance);
  add("firstTimestamp", FormatSeconds(series.first));
  add("lastTimestamp", FormatSeconds(series.last));
  writer.Key("count");
  writer.Int(series.count);
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace kupen::kube
