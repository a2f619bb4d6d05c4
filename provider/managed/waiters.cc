#include "provider/managed/waiters.h"

namespace kupen::managed {

void Waiters::Wait(const runtime::Key& who, const runtime::Key& for_what) {
  const std::lock_guard guard(mutex_);
  waiting_[for_what].insert(who);
}

std::vector<runtime::Key> Waiters::Take(const runtime::Key& changed) {
  std::vector<runtime::Key> woken;
  const std::lock_guard guard(mutex_);
  for (const std::string& name : {changed.name, std::string()}) {
    const auto found = waiting_.find({.kind = changed.kind, .object_namespace = changed.object_namespace, .name = name});
    if (found == waiting_.end()) continue;
    woken.insert(woken.end(), found->second.begin(), found->second.end());
    waiting_.erase(found);
  }
  return woken;
}

}  // namespace kupen::managed
