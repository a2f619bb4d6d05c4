// Requests to the services of one cloud, in one scope: logs in, finds the endpoint, agrees on a microversion, renews the token.
//
//   Session session(cloud, HttpTransports(), clock);
//   ASSIGN_OR_RETURN(http::Response response, session.Send({.service = "network", .path = "/networks"}, stop));
//
// An answer other than 2xx is an error (error.h). A 401 gets one more try with a new token, of which all threads together ask
// for one. After a 429 or 503 the service gets no request before the time that it asked for is over: all fail at once, with the
// same error. Nothing else is tried twice: what to do after an error is the caller's decision. The session keeps credentials
// and tokens out of every error. Thread safety: all methods may be called from any thread at once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/base/clock.h"
#include "provider/http/transport.h"
#include "provider/http/url.h"
#include "provider/openstack/cloud.h"
#include "provider/openstack/microversion.h"
#include "provider/openstack/pauses.h"
#include "provider/openstack/query.h"
#include "provider/openstack/token_source.h"
#include "provider/openstack/transports.h"

namespace kupen::openstack {

struct ServiceRequest {
  // By official type: "compute".
  std::string service;
  std::string method = "GET";
  // Below the API's version; each segment already encoded where needed: "/servers/1f0…".
  std::string path;
  Query query = {};
  std::string body = "";
  // Instead of `body`, piece by piece. It cannot be read twice, so such a request gets no second try after a 401.
  http::BodySource body_source = nullptr;
  std::string content_type = "application/json";
  http::Headers headers = {};
  // None: the service's oldest behaviour. The user's <service>_default_microversion lowers the upper end.
  std::optional<MicroversionRange> microversions = std::nullopt;
  // "req-<uuid>": ties the requests of one operation together in the logs of all services. Made up if empty.
  std::string operation_id = "";
  // What in the body must not come back to light in an error.
  std::vector<std::string> secrets = {};
  absl::Duration timeout = absl::Seconds(60);
};

// A fresh operation_id.
std::string NewOperationId();

class Session {
 public:
  // The clock must outlive this. Sessions of the same cloud may share what they learn about its versions.
  Session(Cloud cloud, Transports transports, Clock& clock, std::shared_ptr<MicroversionCache> versions = nullptr);

  absl::StatusOr<http::Response> Send(const ServiceRequest& request, const std::stop_token& stop);

  // The token in use: whose it is, its project, and the catalog.
  absl::StatusOr<std::shared_ptr<const Token>> GetToken(const std::stop_token& stop) { return tokens_.Get(stop); }

  // The same, asked for anew (but not more than once in 10 s): what the credentials are good for now.
  absl::StatusOr<std::shared_ptr<const Token>> GetFreshToken(const std::stop_token& stop);

  // Where the service's API is, its version included: "https://nova:8774/v2.1". NOT_FOUND says what the catalog has instead.
  absl::StatusOr<std::string> EndpointOf(const std::string& service, const std::stop_token& stop);

  // What the service serves.
  absl::StatusOr<MicroversionRange> ServedMicroversions(const std::string& service, const std::stop_token& stop);

  const Cloud& cloud() const { return cloud_; }

 private:
  // Where a service's API is, and what its paths start with.
  absl::StatusOr<http::Url> FindEndpoint(const std::string& service, const Token& token) const;
  absl::StatusOr<std::shared_ptr<http::Transport>> TransportTo(const std::string& origin);
  absl::StatusOr<Token> LogIn(const std::stop_token& stop);
  absl::StatusOr<Microversion> ChooseMicroversion(const std::string& service, MicroversionRange wanted,
                                                  const std::stop_token& stop);
  // The same exchange, whatever the answer's status; below the endpoint, or at the root of its version.
  absl::StatusOr<http::Response> Exchange(const ServiceRequest& request, bool at_root, const http::Headers& headers,
                                          const std::stop_token& stop);

  const Cloud cloud_;
  const Transports transports_;
  const std::shared_ptr<MicroversionCache> versions_;
  TokenSource tokens_;
  Pauses pauses_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<http::Transport>> transports_by_origin_;
};

}  // namespace kupen::openstack
