// A few threads for uploads, which take minutes and must not hold up those that reconcile.
//
//   UploadPool pool(clock);
//   return pool.Advance(uid, what, [=](const std::stop_token& stop) { return Upload(…, stop); }, wake);
//
// Called again and again with the same arguments, it starts the upload once, and says how it went. One that failed is started
// again after a while, longer each time, or at once if something else is to be uploaded. What is under way when the pool goes
// is told to stop.
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/random/random.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "provider/base/clock.h"

namespace kupen::kinds {

class UploadPool {
 public:
  using Upload = std::function<absl::Status(const std::stop_token& stop)>;

  // The clock must outlive this.
  explicit UploadPool(Clock& clock, size_t threads = 2);

  // For the object with that uid; `what` tells one upload from another. OK while it is under way, and when it is done; the
  // error from its failure until it is tried again. `wake` is called when it has ended.
  absl::Status Advance(const std::string& uid, const std::string& what, Upload upload, std::function<void()> wake);

 private:
  enum class State : uint8_t { kUnderWay, kDone, kFailed };
  struct Entry {
    std::string what = "";
    State state = State::kUnderWay;
    absl::Status error = absl::OkStatus();
    int failures = 0;
    // When a failed one may be tried again, and a done one be forgotten.
    absl::Time until = absl::InfiniteFuture();
  };
  struct Job {
    std::string uid;
    Upload upload;
    std::function<void()> wake;
  };

  void Run(const std::stop_token& stop);
  void Finish(const std::string& uid, const absl::Status& status);
  void ForgetOld();

  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Job> jobs_;
  absl::flat_hash_map<std::string, Entry> entries_;
  absl::BitGen random_;
  // Last: they end first.
  std::vector<std::jthread> threads_;
};

}  // namespace kupen::kinds
