// What is going to happen by itself: a server becomes ACTIVE, an image is stored. Nothing runs in the background: whoever asks
// the cloud anything first lets happen what is due, so that any clock will do.
//
//   schedule.At(clock.Now() + options.build_time, [&, id] { FinishBuild(id); });
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "absl/time/time.h"

namespace kupen::simulator {

class Schedule {
 public:
  using Action = std::function<void()>;

  void At(absl::Time time, Action action) { actions_.emplace(time, std::move(action)); }
  // Never, unless released.
  void Hold(Action action) { held_.push_back(std::move(action)); }
  // What was held is due now.
  void Release(absl::Time now);

  void RunDue(absl::Time now);

 private:
  std::multimap<absl::Time, Action> actions_;
  std::vector<Action> held_;
};

}  // namespace kupen::simulator
