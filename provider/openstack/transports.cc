#include "provider/openstack/transports.h"

#include <utility>

#include "provider/base/status.h"
#include "provider/http/client.h"

namespace kupen::openstack {

Transports HttpTransports(std::shared_ptr<const http::AddressRules> allowed) {
  return [allowed = std::move(allowed)](const std::string& origin,
                                        const Tls& tls) -> absl::StatusOr<std::shared_ptr<http::Transport>> {
    ASSIGN_OR_RETURN(std::shared_ptr<http::Transport> transport,
                     http::Client::Create({.base_url = origin,
                                           .tls = {.ca_pem = tls.ca_pem, .insecure = !tls.verify},
                                           .user_agent = "provider-kupenstack/" KUPEN_VERSION,
                                           .allowed = allowed}));
    return transport;
  };
}

}  // namespace kupen::openstack
