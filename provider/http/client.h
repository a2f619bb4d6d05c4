// HTTP/1.1 over cpp-httplib: pooled keep-alive connections to one server, TLS, and limits that hold.
//
//   ASSIGN_OR_RETURN(const std::unique_ptr<Client> client, Client::Create({.base_url = "https://10.0.0.1:6443", .tls = {.ca_pem
//   = ca}})); ASSIGN_OR_RETURN(const Response response, client->Send({.target = "/healthz"}, stop));
//
// * The timeout and the stop token end an exchange whatever it is waiting for, except the lookup of the host's name.
// * An exchange that failed on a connection that had served before is tried once more on a new one, if its method is idempotent
//   (RFC 9110): the server had closed it meanwhile. A POST or PATCH is never sent twice.
// * Redirects are answers. Proxies are not supported.
//
// Thread safety: all methods may be called from any thread at once; calls must have returned before the client is destroyed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/http/address_rules.h"
#include "provider/http/tls.h"
#include "provider/http/transport.h"
#include "provider/http/watchdog.h"

namespace kupen::http {

class Connection;
struct Attempt;
struct Endpoint;

struct ClientOptions {
  // http:// or https://, with or without a path that all targets are below.
  std::string base_url;
  TlsOptions tls = TlsOptions();
  // For each address of the host.
  absl::Duration connect_timeout = absl::Seconds(5);
  // How many connections are kept open while nobody uses them; as many as needed are opened. As many as there are workers:
  // with fewer, those of a busy provider would close and open one for most requests, which costs more than the request.
  size_t max_idle = 32;
  std::string user_agent = "provider-kupenstack";
  // Gives the Authorization header's value for each request; an empty one is left out.
  std::function<absl::StatusOr<std::string>()> authorization = nullptr;
  // For a URL that somebody else chose: the addresses that it may lead to. Null for any.
  std::shared_ptr<const AddressRules> allowed = nullptr;
};

class Client final : public Transport {
 public:
  // Does not connect yet. Ignores SIGPIPE from now on: a peer that closes early would end the process.
  static absl::StatusOr<std::unique_ptr<Client>> Create(ClientOptions options);
  ~Client() override;

  absl::StatusOr<Response> Send(const Request& request, const std::stop_token& stop) override;
  absl::StatusOr<Response> Stream(const Request& request, const ResponseSink& on_head, const BodySink& on_body,
                                  const std::stop_token& stop) override;

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    std::chrono::steady_clock::time_point since;
  };

  Client(ClientOptions options, std::unique_ptr<Endpoint> endpoint);
  absl::StatusOr<Request> Complete(const Request& request) const;
  absl::StatusOr<Response> Exchange(const Request& request, const ResponseSink& on_head, const BodySink& on_body,
                                    const std::stop_token& stop);
  Attempt TryOnce(const Request& request, const ResponseSink& on_head, const BodySink& on_body, Watchdog::Exchange& watch,
                  bool fresh);
  std::unique_ptr<Connection> TakeIdle();
  void KeepIdle(std::unique_ptr<Connection> connection);

  const ClientOptions options_;
  const std::unique_ptr<Endpoint> endpoint_;
  Watchdog watchdog_;
  std::mutex mutex_;
  // The last used is the next used, so that the others age and go.
  std::vector<Idle> idle_;
};

}  // namespace kupen::http
