// The watches of the process, each in a thread of its own; the log and the health of the process hear how they fare.
//
//   Watches watches(client, clock, health);
//   watches.Start("network.Network", {.resource = networks}, [&](const kube::WatchEvent& event) { store.Take(event); });
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "provider/base/clock.h"
#include "provider/kube/client.h"
#include "provider/kube/watcher.h"
#include "provider/runtime/health.h"

namespace kupen::cmd {

class Watches {
 public:
  // All must outlive this.
  Watches(const kube::Client& client, Clock& clock, runtime::Health& health);
  // Ends the watches, and waits for them.
  ~Watches();

  // Runs as long as this lives. The name is for the log and for /healthz.
  void Start(const std::string& name, kube::WatcherOptions options, kube::Watcher::EventSink on_event);

 private:
  class Watch;

  const kube::Client& client_;
  Clock& clock_;
  runtime::Health& health_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Watch>> watches_;
};

}  // namespace kupen::cmd
