// Looks at a cloud through its credentials: do they work, and what is behind them?
//
//   const absl::StatusOr<Findings> findings = Probe(scope->session(), ServiceTypesOf(apis::Registry()), stop);
//
// With a good token in hand and the services' versions known, this makes no request.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apis/model/kinds.h"
#include "provider/openstack/session.h"

namespace kupen::access {

struct FoundService {
  std::string type;
  std::string url;
  // "v2.1".
  std::string version;
  // The highest; empty if it has none, or did not answer.
  std::string microversion;

  friend bool operator==(const FoundService&, const FoundService&) = default;
};

struct Findings {
  std::string region;
  std::string project_id;
  std::string user_id;
  // By type.
  std::vector<FoundService> services;

  friend bool operator==(const Findings&, const Findings&) = default;
};

// The services that the kinds are in, sorted.
std::vector<std::string> ServiceTypesOf(const apis::Kinds& kinds);

// Errors have a reason (problem.h), unless a stop was requested. A service that the catalog does not have is left out, and one
// that does not answer is no error: objects in other services don't need it.
absl::StatusOr<Findings> Probe(openstack::Session& session, const std::vector<std::string>& service_types,
                               const std::stop_token& stop);

}  // namespace kupen::access
