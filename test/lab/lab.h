// The provider as a process, before a real API server and a simulated cloud: what crashes, faults and restarts are tried on.
//
//   Lab lab;
//   ASSERT_OK(lab.status());
//   ASSERT_OK(lab.Apply(…));            // $NS and $CONFIG stand for what they are here
//   ASSERT_OK(lab.RunUntil(absl::Minutes(2), [&] { return lab.AllReady(6); }));
//
// The API server is the tests' own (the fixture "lab"), so that no other provider acts on the objects.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "rapidjson/document.h"
#include "test/lab/provider_process.h"
#include "test/simulator/simulator.h"
#include "test/support/cluster.h"

namespace kupen::test {

class Lab {
 public:
  explicit Lab(SimulatorOptions cloud = {});
  // Nothing of it stays in the API server.
  ~Lab();
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  const absl::Status& status() const { return status_; }
  const std::string& ns() const { return namespace_.name(); }
  Simulator& cloud() { return cloud_; }

  absl::Status Apply(absl::string_view manifests) const;
  absl::StatusOr<std::string> Run(std::vector<std::string> arguments) const;
  // All managed objects of the namespace.
  absl::StatusOr<rapidjson::Document> Objects() const;
  // That many are there, and all are ready and synced.
  absl::Status AllReady(int count) const;
  absl::Status AllGone() const;

  // The names of all that is in the cloud; one name twice is one object too many.
  absl::StatusOr<std::multiset<std::string>> CloudObjects() const;

  // Runs the provider, and starts it again each time that it is killed, until it is so.
  absl::Status RunUntil(absl::Duration limit, const std::function<absl::Status()>& is_so);
  // How often RunUntil() had to start it again.
  int deaths() const { return deaths_; }

  // For the next start.
  std::map<std::string, std::string>& environment() { return options_.environment; }
  std::vector<std::string>& arguments() { return options_.arguments; }
  absl::StatusOr<ProviderProcess> Start() const { return ProviderProcess::Start(options_); }
  // What all processes have logged.
  std::string Log() const;

 private:
  std::string Filled(absl::string_view manifests) const;

  ScratchNamespace namespace_{"lab"};
  Simulator cloud_;
  ProviderOptions options_;
  int deaths_ = 0;
  absl::Status status_;
};

}  // namespace kupen::test
