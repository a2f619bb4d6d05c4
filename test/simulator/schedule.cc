#include "test/simulator/schedule.h"

#include <utility>

namespace kupen::simulator {

void Schedule::Release(absl::Time now) {
  for (Action& action : held_) At(now, std::move(action));
  held_.clear();
}

void Schedule::RunDue(absl::Time now) {
  while (!actions_.empty() && actions_.begin()->first <= now) {
    // Out first: it may put others in.
    const Action action = std::move(actions_.begin()->second);
    actions_.erase(actions_.begin());
    action();
  }
}

}  // namespace kupen::simulator
