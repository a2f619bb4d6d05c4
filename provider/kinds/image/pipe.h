// Hands a body from the thread that receives it to the thread that sends it on, with little of it in memory.
//
//   Pipe pipe(stop);
//   std::jthread sender([&] { Send(… [&] { return pipe.Read(); } …); pipe.CloseReading(); });
//   while (…) if (!pipe.Write(piece)) break;
//   pipe.CloseWriting(status);
//
// Thread safety: one thread writes, another reads.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kupen::kinds {

class Pipe {
 public:
  explicit Pipe(std::stop_token stop) : stop_(std::move(stop)) {}

  // Waits while the pipe is full. False: nobody reads any more.
  bool Write(absl::string_view piece);
  // The body has come to its end, or to an error that its reader gets.
  void CloseWriting(absl::Status end);

  // Waits while the pipe is empty. Gives all that is in it; nothing at the end.
  absl::StatusOr<std::string> Read();
  void CloseReading();
  bool reading_closed() const;

 private:
  const std::stop_token stop_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string content_;
  std::optional<absl::Status> end_;
  bool reading_closed_ = false;
};

}  // namespace kupen::kinds
