// An OpenStack of one process and one port: Keystone, Nova, Neutron, Glance, Cinder, Octavia and Placement, as far as our kinds
// use them. It answers thousands of requests a second, holds ten thousands of objects, and fails as it is told.
//
//   test::Simulator simulator({.latency = absl::Milliseconds(50)});
//   … simulator.CloudsYaml() …                       // clouds "admin" and "demo", as the real test cloud has them
//   simulator.AddFault({.effect = test::Fault::Effect::kDropAfter, .service = "network", .method = "POST", .times = 1});
//   EXPECT_EQ(simulator.CountObjects("network/networks"), 3);
//
// What a library call can do, a running simulator does over HTTP, without a token:
//
//   GET, PUT, POST, DELETE /simulator/faults     see faults.h; PUT replaces all, POST adds; what was stuck goes on once its
//                                                faults are replaced or deleted
//   PUT /simulator/settings                      {"latency": "50ms", "buildTime": "1s", …}: what is given changes
//   POST /simulator/tokens/expire                no token is good any more
//   GET, DELETE /simulator/requests              counts since the start, or since the DELETE; see request_log.h
//   GET /simulator/objects[?collection=network/networks][&full=true]
//                                                {"network/networks": [{"id", "name", "project", "status", "marker"}, …], …}
//
// A new cloud has what the real test cloud has: flavors m1.tiny and m1.small, the image cirros, the networks public (external)
// and private (of demo). It answers as a real one does: test/conformance compares them.
//
// Thread safety: all methods may be called from any thread at once.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "test/simulator/call.h"
#include "test/simulator/faults.h"
#include "test/simulator/http_server.h"
#include "test/simulator/keystone.h"
#include "test/simulator/options.h"
#include "test/simulator/request_log.h"
#include "test/simulator/service.h"

namespace kupen::simulator {

class Simulator {
 public:
  // Ends the program if it cannot listen.
  explicit Simulator(SimulatorOptions options = {});
  static absl::StatusOr<std::unique_ptr<Simulator>> Start(SimulatorOptions options);
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  // "http://127.0.0.1:8080"; Keystone is at url() + "/identity/v3".
  const std::string& url() const { return world_.url; }
  int port() const { return server_->port(); }
  // A cloud for each account, by the user's name.
  std::string CloudsYaml() const;

  void AddFault(Fault fault);
  // Without any, what was stuck goes on.
  void SetFaults(std::vector<Fault> faults);
  std::vector<Fault> faults() const;
  void ExpireTokens();
  void SetLatency(absl::Duration latency);

  std::vector<RequestCount> Requests() const;
  // All requests but those to /simulator.
  int CountRequests() const;
  void ResetRequests();

  // "network/networks"; what is being deleted counts, too.
  size_t CountObjects(const std::string& collection) const;
  // Calls back with each object's body. Must not call the simulator.
  void ForEachObject(const std::string& collection, const std::function<void(const rapidjson::Value& body)>& each) const;
  // Makes an object vanish, or changes a member of it, as somebody else would do. False if there is none.
  bool RemoveObject(const std::string& collection, const std::string& id);
  bool ChangeObject(const std::string& collection, const std::string& id, absl::string_view member,
                    absl::string_view json_value);

 private:
  struct Unstarted {};
  Simulator(Unstarted, SimulatorOptions options);
  absl::Status Listen();
  void Seed();
  EventServer::Reply Handle(const http::Request& request);
  EventServer::Reply Serve(Service& service, absl::string_view rest, const http::Request& request);
  Answer Dispatch(Service& service, Call& call, bool root, bool below_version);
  Answer HandleAdmin(absl::string_view path, const http::Request& request);
  Answer WriteObjects(const http::Request& request) const;
  absl::Status ChangeSettings(const rapidjson::Value& settings);

  mutable std::mutex mutex_;
  // Looking at it lets happen what is due.
  mutable World world_;
  std::vector<std::unique_ptr<Service>> services_;
  Keystone* keystone_ = nullptr;
  RequestLog log_;
  // Last, so that it ends first.
  std::unique_ptr<EventServer> server_;
};

}  // namespace kupen::simulator

namespace kupen::test {
using simulator::Account;
using simulator::Fault;
using simulator::RequestCount;
using simulator::Simulator;
using simulator::SimulatorOptions;
}  // namespace kupen::test
