// A user of a simulated cloud, with nothing in between: one request, one answer. For the simulator's own tests.
//
//   UserOfSimulator demo(simulator, "demo");
//   EXPECT_EQ(demo.Send("POST", "/network/v2.0/networks", R"({"network": {}})").status, 201);
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/http/transport.h"
#include "rapidjson/document.h"
#include "test/simulator/simulator.h"

namespace kupen::simulator {

class UserOfSimulator {
 public:
  // Logs in. The simulator must outlive this.
  UserOfSimulator(const Simulator& simulator, std::string name);

  void LogIn();

  // An error is a connection that ended without an answer.
  absl::StatusOr<http::Response> Try(const std::string& method, const std::string& target, const std::string& body = "",
                                     const http::Headers& headers = {}) const;
  // The same, where an answer must come.
  http::Response Send(const std::string& method, const std::string& target, const std::string& body = "",
                      const http::Headers& headers = {}) const;

  // The body of a GET that must be answered with 200.
  rapidjson::Document Get(const std::string& target, const http::Headers& headers = {}) const;

  // Makes objects, and gives their ids.
  std::string MakeNetwork(absl::string_view name) const;
  std::string MakeServer(absl::string_view name) const;

 private:
  const std::string name_;
  const std::unique_ptr<http::Transport> transport_;
  std::string token_;
};

// The microversion that the provider asks Nova for.
inline const http::Headers kNova = {{"OpenStack-API-Version", "compute 2.93"}};

}  // namespace kupen::simulator
