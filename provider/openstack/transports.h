// The way to a cloud's services over the network.
//
//   Session session(cloud, HttpTransports(), SystemClock());
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "provider/http/transport.h"
#include "provider/openstack/cloud.h"

namespace kupen::openstack {

// Gives the transport to an origin ("https://nova:8774"). The place to refuse addresses that a tenant's URLs may not reach.
using Transports = std::function<absl::StatusOr<std::shared_ptr<http::Transport>>(const std::string& origin, const Tls& tls)>;

// Pooled HTTP connections, with a user agent that operators find in their services' logs.
Transports HttpTransports();

}  // namespace kupen::openstack
