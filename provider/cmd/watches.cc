#include "provider/cmd/watches.h"

#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "provider/base/status.h"
#include "provider/runtime/log.h"

namespace kupen::cmd {
namespace {

// A watch is renewed every five minutes at the latest: one that has not been for this long is dead, or its API server is.
constexpr absl::Duration kDeadAfter = absl::Minutes(12);

}  // namespace

class Watches::Watch {
 public:
  Watch(std::string name, const kube::Client& client, Clock& clock, kube::WatcherOptions options,
        kube::Watcher::EventSink on_event)
      : name_(std::move(name)),
        clock_(clock),
        on_event_(std::move(on_event)),
        heartbeat_(clock),
        watcher_(
            client, clock, std::move(options), [this](const kube::WatchEvent& event) { Take(event); },
            [this](const absl::Status& problem) { TakeProblem(problem); }),
        thread_([this](const std::stop_token& stop) { Run(stop); }) {}

  const std::string& name() const { return name_; }
  absl::Status Check() const { return heartbeat_.Check(kDeadAfter); }
  void RequestStop() { thread_.request_stop(); }

 private:
  void Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      failed_ = false;
      const absl::Duration pause = watcher_.Step(stop);
      if (!failed_) heartbeat_.Beat();
      if (pause > absl::ZeroDuration()) clock_.SleepFor(pause, stop);
    }
  }

  void Take(const kube::WatchEvent& event) {
    // Init only says that a list is about to be asked for.
    if (event.type != kube::WatchEvent::Type::kInit) {
      heartbeat_.Beat();
      if (in_trouble_) log::Info("the watch works again", {{"watch", name_}});
      in_trouble_ = false;
    }
    on_event_(event);
  }

  void TakeProblem(const absl::Status& problem) {
    failed_ = true;
    // A refusal is an answer: the watch is alive, and a restart would not help.
    if (!absl::IsUnavailable(problem) && !absl::IsDeadlineExceeded(problem)) heartbeat_.Beat();
    // Once, not every half minute for as long as it lasts.
    log::Write(in_trouble_ ? log::Level::kDebug : log::Level::kWarning, "cannot watch; trying again",
               {{"watch", name_}, {"error", problem}});
    in_trouble_ = true;
  }

  const std::string name_;
  Clock& clock_;
  const kube::Watcher::EventSink on_event_;
  runtime::Heartbeat heartbeat_;
  // Of the thread alone: in this step, and since the last event.
  bool failed_ = false;
  bool in_trouble_ = false;
  kube::Watcher watcher_;
  // Last: uses all of the above.
  std::jthread thread_;
};

Watches::Watches(const kube::Client& client, Clock& clock, runtime::Health& health)
    : client_(client), clock_(clock), health_(health) {
  health_.AddLiveness("watches", [this] {
    const std::lock_guard guard(mutex_);
    for (const std::unique_ptr<Watch>& watch : watches_) {
      if (const absl::Status status = watch->Check(); !status.ok()) return Annotate(status, watch->name());
    }
    return absl::OkStatus();
  });
}

Watches::~Watches() {
  // All at once, then wait for each.
  for (const std::unique_ptr<Watch>& watch : watches_) watch->RequestStop();
}

void Watches::Start(const std::string& name, kube::WatcherOptions options, kube::Watcher::EventSink on_event) {
  auto watch = std::make_unique<Watch>(name, client_, clock_, std::move(options), std::move(on_event));
  const std::lock_guard guard(mutex_);
  watches_.push_back(std::move(watch));
}

}  // namespace kupen::cmd
