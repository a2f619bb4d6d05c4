// The reconciler with everything around it in memory: an API server, a cloud, a clock.
//
//   World world;
//   world.kube.Put("network.Network", kNetwork);
//   world.Settle();
//   EXPECT_EQ(world.Condition("network.Network", "blue", "Ready"), "True Available");
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "apis/registry/registry.h"
#include "provider/access/scope.h"
#include "provider/kube/client.h"
#include "provider/kube/events.h"
#include "provider/managed/objects.h"
#include "provider/managed/reconciler.h"
#include "provider/runtime/metrics.h"
#include "provider/runtime/token_bucket.h"
#include "provider/runtime/work_queue.h"
#include "test/fakes/fake_clock.h"
#include "test/provider/managed/fake_kube.h"
#include "test/provider/managed/fake_service.h"
#include "test/provider/openstack/fake_cloud.h"

namespace kupen::test {

inline constexpr char kNamespace[] = "team";

class World {
 public:
  World();
  ~World();

  // Reconciles whatever is due, again and again, until nothing is. Time stands still meanwhile.
  void Settle();
  // The same, after time has passed. The mirrors look at the cloud, if it is time to.
  void SettleAfter(absl::Duration time);
  // The same, until it is so, whatever the mirrors' threads take; false if that is too long.
  bool SettleUntil(const std::function<bool()>& is_so);
  // A new process in the place of this one: it remembers nothing.
  void Restart();
  // Other credentials for the same cloud, as after a change of the Secret.
  void ReplaceScope();
  // The reconciler hears what has become of a Secret.
  void TellOfSecret(const std::string& name);
  // "True Available the message".
  std::string Condition(const std::string& kind, const std::string& name, const std::string& type) const;
  std::string ExternalName(const std::string& kind, const std::string& name) const;

  FakeClock clock;
  managed::Objects objects{apis::Registry()};
  FakeKube kube{objects};
  FakeCloud cloud;
  FakeService service;
  runtime::Metrics metrics;
  // Lists that lacked too much to be believed.
  std::atomic<int> doubts = 0;

 private:
  void Start();
  void SetScope();
  void Stop();

  kube::Client client_{kube, "provider-kupenstack"};
  std::unique_ptr<kube::EventRecorder> events_;
  std::unique_ptr<runtime::WorkQueue> queue_;
  std::unique_ptr<runtime::TokenBucket> rate_;
  std::unique_ptr<access::Scopes> scopes_;
  std::unique_ptr<managed::Reconciler> reconciler_;
  // The same, for as long as its mirrors may report to it.
  managed::Reconciler* running_ = nullptr;
  std::stop_source stop_;
};

}  // namespace kupen::test
