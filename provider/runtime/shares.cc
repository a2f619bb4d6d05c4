#include "provider/runtime/shares.h"

#include <algorithm>
#include <vector>

namespace kupen::runtime {

int Shares::RoomOf(const Party& party) const {
  const int others = busy_ - party.busy;
  return std::max(1, (workers_ - others) / 2) - party.busy;
}

Shares::Permit Shares::Enter(const std::string& party, const Key& key) {
  const std::lock_guard guard(mutex_);
  Party& own = parties_[party];
  if (RoomOf(own) <= 0) {
    // Once is enough: whatever happens to it meanwhile brings it here again.
    if (own.parked.insert(key).second) own.waiting.push_back(key);
    return {};
  }
  ++own.busy;
  ++busy_;
  return {this, party};
}

// Somebody of the party leaves: whoever waits is of a party that has somebody, and so will be woken. As many as find room: more
// would only come to wait again. Whose turn it is may have gone meanwhile; then the next to leave makes up for it.
void Shares::Leave(const std::string& party) {
  std::vector<Key> woken;
  {
    const std::lock_guard guard(mutex_);
    const auto found = parties_.find(party);
    Party& own = found->second;
    --own.busy;
    --busy_;
    const size_t room = static_cast<size_t>(std::max(1, RoomOf(own)));
    while (!own.waiting.empty() && woken.size() < room) {
      woken.push_back(std::move(own.waiting.front()));
      own.waiting.pop_front();
      own.parked.erase(woken.back());
    }
    if (own.busy == 0 && own.waiting.empty()) parties_.erase(found);
  }
  for (const Key& key : woken) queue_.Add(key, Priority::kRequeue);
}

}  // namespace kupen::runtime
