// Keeps one party from having all workers: while a cloud does not answer, those of the others go on.
//
//   Shares shares(32, queue);
//   Shares::Permit permit = shares.Enter(cloud, key);
//   if (!permit) return Outcome::AwaitChange();         // the key comes back as soon as there is room
//   …                                                   // until the permit ends
//
// A party may have half of the workers that no other has, and at least one: of 32 the first has up to 16, a second beside it up
// to 8. So there is always one left for whoever has none.
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "provider/runtime/work_queue.h"

namespace kupen::runtime {

class Shares {
 public:
  class Permit {
   public:
    Permit() = default;
    Permit(Permit&& other) noexcept : shares_(std::exchange(other.shares_, nullptr)), party_(std::move(other.party_)) {}
    Permit& operator=(Permit&& other) noexcept {
      std::swap(shares_, other.shares_);
      std::swap(party_, other.party_);
      return *this;
    }
    ~Permit() {
      if (shares_ != nullptr) shares_->Leave(party_);
    }

    explicit operator bool() const { return shares_ != nullptr; }

   private:
    friend class Shares;
    Permit(Shares* shares, std::string party) : shares_(shares), party_(std::move(party)) {}

    Shares* shares_ = nullptr;
    std::string party_;
  };

  // The queue must outlive this, and this all permits.
  Shares(int workers, WorkQueue& queue) : workers_(workers), queue_(queue) {}

  // Without a permit, the key waits for one, and is added to the queue when its turn comes.
  Permit Enter(const std::string& party, const Key& key);

 private:
  struct Party {
    int busy = 0;
    std::deque<Key> waiting = {};
    // The same.
    absl::flat_hash_set<Key> parked = {};
  };

  // How many more of the party there may be.
  int RoomOf(const Party& party) const;
  void Leave(const std::string& party);

  const int workers_;
  WorkQueue& queue_;
  std::mutex mutex_;
  int busy_ = 0;
  absl::flat_hash_map<std::string, Party> parties_;
};

}  // namespace kupen::runtime
