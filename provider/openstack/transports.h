// The way to a cloud's services over the network.
//
//   Session session(cloud, HttpTransports(), SystemClock());
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "provider/http/address_rules.h"
#include "provider/http/transport.h"
#include "provider/openstack/cloud.h"

namespace kupen::openstack {

// Gives the transport to an origin ("https://nova:8774").
using Transports = std::function<absl::StatusOr<std::shared_ptr<http::Transport>>(const std::string& origin, const Tls& tls)>;

// Pooled HTTP connections, with a user agent that operators find in their services' logs. For a cloud that a tenant has
// described, with the addresses that its URLs may lead to: where to log in, and all that is in its catalog.
Transports HttpTransports(std::shared_ptr<const http::AddressRules> allowed = nullptr);

}  // namespace kupen::openstack
