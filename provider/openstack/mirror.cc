#include "provider/openstack/mirror.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/openstack/error.h"
#include "provider/openstack/service.h"

namespace kupen::openstack {
namespace {

constexpr int kListShare = 20;
constexpr absl::Duration kBusyInterval = absl::Seconds(2);
// So many GETs cost less than any list.
constexpr size_t kFew = 3;
// More GETs than this cost more than a list.
constexpr size_t kMany = 50;
// Keeps a URL below the 8 KiB that servers take.
constexpr size_t kIdsPerRequest = 100;
// The services' clocks may differ from ours, and there is no cursor to lose.
constexpr absl::Duration kLookBack = absl::Minutes(1);

constexpr size_t kMissingWithoutDoubt = 10;
constexpr size_t kDoubtfulShare = 20;  // one in so many

}  // namespace

Mirror::Mirror(Session& session, MirrorSpec spec, Clock& clock, MirrorEvents events)
    : session_(session),
      spec_(std::move(spec)),
      rest_(session, spec_.rest),
      clock_(clock),
      events_(std::move(events)),
      store_(spec_.fields, spec_.marker_of, spec_.rest.id_key, spec_.says_nothing) {}

void Mirror::SetBusy(const std::string& id, bool busy) {
  store_.SetBusy(id, busy);
  if (!busy) return;
  const std::lock_guard guard(mutex_);
  next_busy_ = std::min(next_busy_, clock_.Now() + kBusyInterval);
  changed_.notify_all();
}

absl::Status Mirror::Refresh(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = ++asked_;
  changed_.notify_all();
  if (!changed_.wait(lock, stop, [this, ticket] { return answered_ >= ticket; })) return absl::CancelledError("stopped");
  return list_status_;
}

void Mirror::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (!PollDue(stop)) WaitForWork(stop);
  }
}

bool Mirror::PollDue(const std::stop_token& stop) {
  bool list = false;
  bool busy = false;
  {
    const std::lock_guard guard(mutex_);
    list = clock_.Now() >= next_list_ || asked_ > answered_;
    busy = clock_.Now() >= next_busy_;
  }
  if (list) {
    PollAll(stop);
  } else if (busy) {
    PollBusy(stop);
  }
  return list || busy;
}

void Mirror::WaitForWork(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const absl::Time deadline = std::min(next_list_, next_busy_);
  if (asked_ > answered_ || clock_.Now() >= deadline) return;
  clock_.Wait(lock, changed_, deadline, stop);
}

void Mirror::PollAll(const std::stop_token& stop) {
  std::uint64_t answering = 0;
  {
    const std::lock_guard guard(mutex_);
    answering = asked_;
  }
  const absl::Time began = clock_.Now();
  const absl::Status status = List(stop);
  const absl::Duration pause = std::max({spec_.list_interval, (clock_.Now() - began) * kListShare, RetryAfterOf(status)});
  const std::lock_guard guard(mutex_);
  next_list_ = clock_.Now() + pause;
  answered_ = answering;
  list_status_ = status;
  changed_.notify_all();
}

absl::Status Mirror::List(const std::stop_token& stop) {
  store_.BeginList();
  size_t untold = 0;
  absl::Status status = rest_.List(
      spec_.filters,
      [this, &untold](const rapidjson::Value& item) {
        if (spec_.says_nothing != nullptr && spec_.says_nothing(item)) ++untold;
        Report(store_.PutListed(item));
        return absl::OkStatus();
      },
      stop);
  if (!status.ok()) {
    store_.AbandonList();
    return status;
  }
  const MirrorStore::Listed listed = store_.EndList();
  for (const MirrorChange& change : listed.changes) Report(change);
  RETURN_IF_ERROR(Judge(listed, stop));
  if (untold == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(ServiceNamed(spec_.rest.service).project, ": says nothing of ", untold, " ",
                                             spec_.rest.list_key, " at the moment, so that they cannot be told apart"));
}

absl::Status Mirror::Judge(const MirrorStore::Listed& listed, const std::stop_token& stop) {
  const size_t missing = listed.missing.size();
  if (missing <= kMissingWithoutDoubt || missing * kDoubtfulShare <= listed.tracked) {
    doubted_.clear();
    if (const auto token = session_.GetToken(stop); token.ok()) {
      access_ = Access{.project_id = (*token)->project_id, .roles = (*token)->roles};
    }
    for (const std::string& id : listed.missing) Ask(id, stop);
    return absl::OkStatus();
  }
  for (const std::string& id : Believed(listed.missing, stop)) Ask(id, stop);
  const std::string doubt = absl::StrCat(
      ServiceNamed(spec_.rest.service).project, ": ", missing, " of ", listed.tracked, " ", spec_.rest.list_key,
      " are missing from the list at once; nothing is taken as deleted until the credentials prove to be what they were "
      "and another list agrees");
  if (doubted_.empty()) events_.on_doubt(doubt);
  doubted_ = {listed.missing.begin(), listed.missing.end()};
  return absl::UnavailableError(doubt);
}

// Those that the list before lacked, too, provided that the credentials are still good for what they were.
std::vector<std::string> Mirror::Believed(const std::vector<std::string>& missing, const std::stop_token& stop) const {
  std::vector<std::string> twice;
  for (const std::string& id : missing) {
    if (doubted_.contains(id)) twice.push_back(id);
  }
  if (twice.empty()) return {};
  const absl::StatusOr<std::shared_ptr<const Token>> token = session_.GetFreshToken(stop);
  if (!token.ok()) return {};
  const Access now = {.project_id = (*token)->project_id, .roles = (*token)->roles};
  if (access_.has_value() && *access_ != now) return {};
  return twice;
}

void Mirror::PollBusy(const std::stop_token& stop) {
  const std::vector<std::string> ids = store_.Busy();
  const absl::Time began = clock_.Now();
  if (ids.size() <= kFew || (spec_.busy_poll == BusyPoll::kGetEach && ids.size() <= kMany)) {
    for (const std::string& id : ids) Ask(id, stop);
  } else if (spec_.busy_poll == BusyPoll::kGetEach) {
    PollAll(stop);
  } else if (spec_.busy_poll == BusyPoll::kChangesSince) {
    PollChanges(stop);
  } else {
    PollByIds(ids, stop);
  }
  const std::lock_guard guard(mutex_);
  // Under the lock: what becomes busy after this look sets the time anew.
  const bool still_busy = !store_.Busy().empty();
  // A slow cloud gets as much time to itself as it takes to answer.
  next_busy_ = still_busy ? clock_.Now() + std::max(kBusyInterval, clock_.Now() - began) : absl::InfiniteFuture();
}

void Mirror::PollByIds(const std::vector<std::string>& ids, const std::stop_token& stop) {
  for (size_t start = 0; start < ids.size(); start += kIdsPerRequest) {
    const size_t end = std::min(ids.size(), start + kIdsPerRequest);
    std::set<std::string> wanted(ids.begin() + static_cast<std::ptrdiff_t>(start),
                                 ids.begin() + static_cast<std::ptrdiff_t>(end));
    Query query = spec_.filters;
    if (spec_.busy_poll == BusyPoll::kIdsIn) query.emplace_back("id", absl::StrCat("in:", absl::StrJoin(wanted, ",")));
    if (spec_.busy_poll == BusyPoll::kRepeatedIds) {
      for (const std::string& id : wanted) query.emplace_back("id", id);
    }
    const absl::Status status = rest_.List(
        query,
        [this, &wanted](const rapidjson::Value& item) {
          wanted.erase(std::string(json::String(item, {spec_.rest.id_key})));
          Take(item);
          return absl::OkStatus();
        },
        stop);
    if (!status.ok()) return;
    for (const std::string& id : wanted) Ask(id, stop);
  }
}

void Mirror::PollChanges(const std::stop_token& stop) {
  Query query = spec_.filters;
  query.emplace_back("changes-since", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", clock_.Now() - kLookBack, absl::UTCTimeZone()));
  // What this misses, for whatever reason, the next full list has.
  rest_
      .List(
          query,
          [this](const rapidjson::Value& item) {
            Take(item);
            return absl::OkStatus();
          },
          stop)
      .IgnoreError();
}

void Mirror::Ask(const std::string& id, const std::stop_token& stop) {
  const absl::StatusOr<rapidjson::Document> item = rest_.Get(id, stop);
  if (item.ok()) return Take(*item);
  // Any other error leaves the question open until the next poll.
  if (absl::IsNotFound(item.status()) && HttpStatusOf(item.status()) != 0) Report(store_.PutGone(id));
}

void Mirror::Take(const rapidjson::Value& item) {
  if (json::String(item, {"status"}) == "DELETED") {
    Report(store_.PutGone(std::string(json::String(item, {spec_.rest.id_key}))));
  } else {
    Report(store_.Put(item));
  }
}

void Mirror::Report(const std::optional<MirrorChange>& change) const {
  if (change.has_value()) events_.on_change(*change);
}

}  // namespace kupen::openstack
