#include "provider/runtime/shares.h"

#include <algorithm>
#include <vector>

namespace kupen::runtime {
namespace {

// More than the one that has left: there may be room by now that others have made.
constexpr size_t kWokenAtOnce = 2;

}  // namespace

Shares::Permit Shares::Enter(const std::string& party, const Key& key) {
  const std::lock_guard guard(mutex_);
  Party& own = parties_[party];
  const int others = busy_ - own.busy;
  if (own.busy >= std::max(1, (workers_ - others) / 2)) {
    own.waiting.push_back(key);
    return {};
  }
  ++own.busy;
  ++busy_;
  return {this, party};
}

// Somebody of the party leaves: whoever waits is of a party that has somebody, and so will be woken.
void Shares::Leave(const std::string& party) {
  std::vector<Key> woken;
  {
    const std::lock_guard guard(mutex_);
    const auto found = parties_.find(party);
    Party& own = found->second;
    --own.busy;
    --busy_;
    while (!own.waiting.empty() && woken.size() < kWokenAtOnce) {
      woken.push_back(std::move(own.waiting.front()));
      own.waiting.pop_front();
    }
    if (own.busy == 0 && own.waiting.empty()) parties_.erase(found);
  }
  for (const Key& key : woken) queue_.Add(key, Priority::kRequeue);
}

}  // namespace kupen::runtime
