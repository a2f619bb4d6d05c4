// Ends exchanges that are out of time or no longer wanted, whatever their thread is blocked in, by shutting their socket down.
// cpp-httplib's own stop() is of no use for that: it is lost before the connection is there and waits while it is being made.
//
//   Watchdog::Exchange exchange(watchdog, absl::Seconds(30), stop);
//   exchange.Watch(socket);          // as soon as there is one
//   … blocking calls on the socket …
//   if (exchange.verdict() != absl::StatusCode::kOk) …   // it was ended: kDeadlineExceeded or kCancelled
//
// Thread safety: an Exchange belongs to one thread; the watchdog may have many at once and must outlive them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace kupen::http {

class Watchdog {
 public:
  class Exchange;

  Watchdog() : thread_([this](const std::stop_token& stop) { Run(stop); }) {}

 private:
  // Wall clocks jump.
  using Time = std::chrono::steady_clock::time_point;

  struct Entry {
    Time deadline;
    int socket = -1;
    absl::StatusCode verdict = absl::StatusCode::kOk;
  };

  void Run(const std::stop_token& stop);
  // Shuts down what is due and says when to look again.
  Time Bite(Time now);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Entry> entries_;
  // When the thread looks next if nobody wakes it.
  Time next_ = Time::min();
  std::jthread thread_;
};

class Watchdog::Exchange {
 public:
  Exchange(Watchdog& watchdog, absl::Duration timeout, const std::stop_token& stop);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // The socket must stay open until another is given or the exchange ends.
  void Watch(int socket);
  // Starts the time anew.
  void Extend(absl::Duration timeout);

  absl::StatusCode verdict() const;

 private:
  struct Cancel {
    Exchange* exchange;
    void operator()() const { exchange->OnCancel(); }
  };
  void OnCancel();

  Watchdog& watchdog_;
  std::list<Entry>::iterator entry_;
  // Last: it may call at once.
  std::optional<std::stop_callback<Cancel>> on_stop_;
};

}  // namespace kupen::http
