// The requests that are sent, in this order, to the simulator and to the real OpenStack. requests/*.yaml list them: each file
// is a test of its own and needs no other.
//
//   headers   of all steps that name none themselves
//   steps     a list of
//     name      what it shows; also names the step in a failure
//     as        admin, demo (the usual), or nobody (with a token that is none)
//     send      service, method, and the path below the service's version; "/" is the version itself, "//" what is above it
//     headers   beside the token
//     body      JSON; text is sent as it is
//     keep      variables for later steps, by where they are in the answer: {network: network.id}; or by a header
//     until     asks again until the answer has these values, or the status is "gone" (404); or at once, until it is "busy"
//     (409) same      members whose values must be the same, not just their types: [network.status] differs   members that may
//     differ, by their path ("*" for any), with the reason
//
// ${run} is different in each run, ${uuid-…} is a UUID, the same for the same name. What a step creates a later one deletes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "provider/http/transport.h"

namespace kupen::conformance {

// What steps wait for.
inline constexpr int kGone = 404;
inline constexpr int kBusy = 409;

struct Step {
  // "neutron.yaml:12: a network (network POST /networks)"
  std::string title = "";
  std::string as = "demo";
  std::string service = "";
  std::string method = "";
  std::string path = "";
  http::Headers headers = {};
  std::string body = "";
  std::string content_type = "application/json";
  std::map<std::string, std::string> keep = {};
  // 0 for any.
  int until_status = 0;
  // JSON by path.
  std::map<std::string, std::string> until = {};
  std::vector<std::string> same = {};
  // Reasons by path.
  std::map<std::string, std::string> differs = {};
};

// The error names the file, the line and what is wrong there.
absl::StatusOr<std::vector<Step>> ReadSteps(const std::string& file);

// The files with requests, sorted.
std::vector<std::string> RequestFiles();

}  // namespace kupen::conformance
