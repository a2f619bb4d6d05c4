// Private to provider/http: one keep-alive connection, and one exchange at a time on it.
//
// Thread safety: one thread at a time.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "provider/http/address_rules.h"
#include "provider/http/tls.h"
#include "provider/http/transport.h"
#include "provider/http/url.h"
#include "provider/http/watchdog.h"

namespace httplib {
class ClientImpl;
struct Request;
struct Response;
enum class Error;
}  // namespace httplib

namespace kupen::http {

// Where to, and how.
struct Endpoint {
  Url url;
  TlsMaterial tls;
  absl::Duration connect_timeout;
  // Null for any address.
  std::shared_ptr<const AddressRules> allowed;
};

// What became of one attempt.
struct Attempt {
  absl::StatusOr<Response> response = absl::UnknownError("not tried");
  // On a connection that had served before, and nothing came back: the server may have closed it just then.
  bool may_be_stale = false;
};

class Connection {
 public:
  // Connects on first use. The endpoint must outlive it.
  static absl::StatusOr<std::unique_ptr<Connection>> Create(const Endpoint& endpoint);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // With an on_body, a 2xx answer's body goes there. The request is complete: its headers are sent as they are.
  Attempt Exchange(const Request& request, const ResponseSink& on_head, const BodySink& on_body, Watchdog::Exchange& watch);

  // Whether another exchange can be tried on it: it is open and the server has not said anything since.
  bool Reusable() const;

 private:
  struct Progress;

  explicit Connection(const Endpoint& endpoint);
  absl::Status Prepare();
  // Connects, if it has to, to one of the addresses that are allowed. False with the error of the last try; not OK if there is
  // no address to try.
  absl::StatusOr<bool> Send(httplib::Request& request, httplib::Response& response, httplib::Error& error,
                            const Watchdog::Exchange& watch);
  absl::Status Failure(int error, const Progress& progress, const Watchdog::Exchange& watch) const;

  const Endpoint& endpoint_;
  std::unique_ptr<httplib::ClientImpl> client_;
  // A second descriptor of the connection's socket, so that the watchdog never touches a number that cpp-httplib has closed and
  // someone else got.
  int socket_ = -1;
  int connects_ = 0;
  Watchdog::Exchange* watch_ = nullptr;
};

}  // namespace kupen::http
