#include "provider/kinds/image/pipe.h"

namespace kupen::kinds {
namespace {

// More than this only if a single piece is larger.
constexpr size_t kCapacity = 256UL * 1024;

}  // namespace

bool Pipe::Write(absl::string_view piece) {
  std::unique_lock lock(mutex_);
  const bool ready = changed_.wait(lock, stop_, [this] { return content_.size() < kCapacity || reading_closed_; });
  if (!ready || reading_closed_) return false;
  content_.append(piece.data(), piece.size());
  changed_.notify_all();
  return true;
}

void Pipe::CloseWriting(absl::Status end) {
  const std::lock_guard guard(mutex_);
  end_ = std::move(end);
  changed_.notify_all();
}

absl::StatusOr<std::string> Pipe::Read() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop_, [this] { return !content_.empty() || end_.has_value(); })) {
    return absl::CancelledError("no longer wanted");
  }
  if (end_.has_value() && !end_->ok()) return *end_;
  changed_.notify_all();
  return std::exchange(content_, "");
}

void Pipe::CloseReading() {
  const std::lock_guard guard(mutex_);
  reading_closed_ = true;
  changed_.notify_all();
}

bool Pipe::reading_closed() const {
  const std::lock_guard guard(mutex_);
  return reading_closed_;
}

}  // namespace kupen::kinds
