#include "provider/runtime/work_queue.h"

#include <algorithm>

namespace kupen::runtime {

void WorkQueue::AddAt(const Key& key, Priority priority, absl::Time at) {
  const std::lock_guard guard(mutex_);
  Entry& entry = entries_[key];
  if (entry.wanted) {
    if (entry.at <= at && entry.priority <= priority) return;
    if (!entry.held) Unschedule(entry);
    entry.at = std::min(entry.at, at);
    entry.priority = std::min(entry.priority, priority);
  } else {
    ++adds_;
    entry.wanted = true;
    entry.at = at;
    entry.priority = priority;
  }
  if (!entry.held) Schedule(key, entry);
}

void WorkQueue::Schedule(const Key& key, Entry& entry) {
  entry.sequence = next_sequence_++;
  waiting_.emplace(std::pair(entry.at, entry.sequence), key);
  changed_.notify_one();
}

void WorkQueue::Unschedule(const Entry& entry) {
  waiting_.erase({entry.at, entry.sequence});
  ready_.erase({entry.priority, entry.sequence});
}

void WorkQueue::MoveDue() {
  const absl::Time now = clock_.Now();
  while (!waiting_.empty() && waiting_.begin()->first.first <= now) {
    auto due = waiting_.extract(waiting_.begin());
    const Entry& entry = entries_.at(due.mapped());
    ready_.emplace(std::pair(entry.priority, entry.sequence), std::move(due.mapped()));
  }
}

std::optional<Key> WorkQueue::Take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    MoveDue();
    if (!ready_.empty()) {
      Key key = std::move(ready_.extract(ready_.begin()).mapped());
      Entry& entry = entries_.at(key);
      entry.held = true;
      entry.held_since = clock_.Now();
      entry.wanted = false;
      // Whoever was woken for this key may have found it gone; the next is for another.
      if (!ready_.empty()) changed_.notify_one();
      return key;
    }
    clock_.Wait(lock, changed_, waiting_.empty() ? absl::InfiniteFuture() : waiting_.begin()->first.first, stop);
  }
  return std::nullopt;
}

void WorkQueue::Done(const Key& key) {
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  found->second.held = false;
  if (found->second.wanted) {
    Schedule(key, found->second);
  } else {
    entries_.erase(found);
  }
}

size_t WorkQueue::Ready() const {
  const std::lock_guard guard(mutex_);
  const absl::Time now = clock_.Now();
  size_t due = ready_.size();
  for (auto entry = waiting_.begin(); entry != waiting_.end() && entry->first.first <= now; ++entry) ++due;
  return due;
}

size_t WorkQueue::Held() const {
  const std::lock_guard guard(mutex_);
  return static_cast<size_t>(
      std::count_if(entries_.begin(), entries_.end(), [](const auto& entry) { return entry.second.held; }));
}

absl::Duration WorkQueue::LongestHeld() const {
  const std::lock_guard guard(mutex_);
  const absl::Time now = clock_.Now();
  absl::Time since = now;
  for (const auto& [key, entry] : entries_) {
    if (entry.held) since = std::min(since, entry.held_since);
  }
  return now - since;
}

uint64_t WorkQueue::Adds() const {
  const std::lock_guard guard(mutex_);
  return adds_;
}

}  // namespace kupen::runtime
