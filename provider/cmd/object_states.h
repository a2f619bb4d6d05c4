// How many objects of each kind exist, are ready and are synced: Crossplane's gauges.
//
//   ObjectStates states(apis::Registry(), objects, clock, flags.poll_state_metric);
//   states.Update(metrics);                          // before /metrics is answered
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <mutex>

#include "absl/time/time.h"
#include "apis/model/kinds.h"
#include "provider/base/clock.h"
#include "provider/kube/store.h"
#include "provider/managed/objects.h"
#include "provider/runtime/metrics.h"

namespace kupen::cmd {

class ObjectStates {
 public:
  // All must outlive this.
  ObjectStates(const apis::Kinds& kinds, const managed::Objects& objects, Clock& clock, absl::Duration max_age)
      : kinds_(kinds), objects_(objects), clock_(clock), max_age_(max_age) {}

  // Counts anew, unless that was done less than max_age ago: with many objects it takes a while.
  void Update(runtime::Metrics& metrics);

 private:
  const apis::Kinds& kinds_;
  const managed::Objects& objects_;
  Clock& clock_;
  const absl::Duration max_age_;
  std::mutex mutex_;
  absl::Time counted_ = absl::InfinitePast();
};

}  // namespace kupen::cmd
