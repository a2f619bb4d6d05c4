// A coordination.k8s.io Lease: of all that ask for it, one holds it.
//
//   Lease lease(client, SystemClock(), {.key = {"crossplane-system", "provider-kupenstack"}, .identity = pod_name_and_uuid});
//   if (lease.Acquire(on_problem, stop)) {
//     …                                          // ours; start work
//     lease.Hold(on_problem, stop);              // renews; returns when stopped or lost
//     lease.Release();                           // the next need not wait
//   }
//
// Clocks of different machines are never compared: another's lease has run out when its record has not changed for its duration
// by our own clock. A holder that can't renew gives up (50 s) before others may take over (60 s).
//
// Thread safety: one thread at a time, but held() and holder() from any.
#pragma once

#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "provider/base/clock.h"
#include "provider/kube/client.h"
#include "provider/kube/resource.h"

namespace kupen::kube {

struct LeaseOptions {
  ObjectKey key;
  // Of no one else, also not of an earlier life of the same pod.
  std::string identity;
  // How long others wait after the last renewal.
  absl::Duration duration = absl::Seconds(60);
  // How long after its last renewal a holder thinks itself one.
  absl::Duration renew_deadline = absl::Seconds(50);
  // Between renewals, while all is well: few writes.
  absl::Duration renew_interval = absl::Seconds(10);
  // Between tries to get it, or to renew it after a failure.
  absl::Duration retry_interval = absl::Seconds(2);
};

class Lease {
 public:
  using ProblemSink = std::function<void(const absl::Status&)>;

  // A try is two requests; one begun in time is over before anyone else may take the lease.
  Lease(const Client& client, Clock& clock, LeaseOptions options)
      : client_(client.WithTimeout((options.duration - options.renew_deadline) / 2)),
        clock_(clock),
        options_(std::move(options)) {}

  // Waits until we hold it; false if a stop came first.
  bool Acquire(const ProblemSink& on_problem, const std::stop_token& stop);
  // Keeps it until a stop (OK) or until it is lost (ABORTED, or DEADLINE_EXCEEDED if the API server could not be reached).
  absl::Status Hold(const ProblemSink& on_problem, const std::stop_token& stop);
  // Gives it back, if it is ours. Tries once.
  absl::Status Release();

  // One try to get or renew it: whether it is ours now. An error says nothing about that.
  absl::StatusOr<bool> Try(const std::stop_token& stop);

  // Whether it is ours, for as long as the last renewal is good.
  bool held() const;
  // Who held it when last seen; empty if nobody.
  std::string holder() const;

 private:
  // What the API server has, as last seen.
  struct Record {
    std::string holder = {};
    std::string renewed = {};
    std::string acquired = {};
    std::string version = {};
    absl::Duration duration = absl::ZeroDuration();
    int transitions = 0;
  };

  static Record Parse(const rapidjson::Value& lease);
  std::string Write(const Record& record) const;
  void Observe(const Record& record, absl::Time now);
  bool IsFree(absl::Time now) const;
  absl::StatusOr<bool> Put(const Record& record, absl::Time now, const std::stop_token& stop);

  const Client client_;
  Clock& clock_;
  const LeaseOptions options_;

  mutable std::mutex mutex_;
  Record record_;
  // When the record was first seen as it is, by our clock.
  absl::Time observed_ = absl::InfinitePast();
  // When we last began a renewal that succeeded.
  absl::Time renewed_ = absl::InfinitePast();
};

}  // namespace kupen::kube
