#include "provider/http/client.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/http/connection.h"
#include "provider/http/url.h"

namespace kupen::http {
namespace {

// Servers close what idles for long; OpenStack's tend to do so after a minute, Kubernetes after one and a half.
constexpr auto kMaxIdleAge = std::chrono::seconds(30);
constexpr absl::Duration kMaxConnectTimeout = absl::Seconds(5);

bool IsIdempotent(absl::string_view method) {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" || method == "OPTIONS";
}

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> Client::Create(ClientOptions options) {
  if (options.connect_timeout > kMaxConnectTimeout) {
    return absl::InvalidArgumentError(absl::StrCat("a connect timeout of ", absl::FormatDuration(options.connect_timeout),
                                                   " is more than ", absl::FormatDuration(kMaxConnectTimeout)));
  }
  ASSIGN_OR_RETURN(Url url, ParseUrl(options.base_url));
  absl::StatusOr<TlsMaterial> tls = TlsMaterial::Parse(options.tls);
  if (!tls.ok()) return Annotate(tls.status(), url.Origin());
  auto endpoint = std::make_unique<Endpoint>(Endpoint{
      .url = std::move(url), .tls = *std::move(tls), .connect_timeout = options.connect_timeout, .allowed = options.allowed});
  std::signal(SIGPIPE, SIG_IGN);
  return std::unique_ptr<Client>(new Client(std::move(options), std::move(endpoint)));
}

Client::Client(ClientOptions options, std::unique_ptr<Endpoint> endpoint)
    : options_(std::move(options)), endpoint_(std::move(endpoint)) {}

Client::~Client() = default;

absl::StatusOr<Response> Client::Send(const Request& request, const std::stop_token& stop) {
  return Exchange(request, nullptr, nullptr, stop);
}

absl::StatusOr<Response> Client::Stream(const Request& request, const ResponseSink& on_head, const BodySink& on_body,
                                        const std::stop_token& stop) {
  return Exchange(request, on_head, on_body, stop);
}

absl::StatusOr<Response> Client::Exchange(const Request& request, const ResponseSink& on_head, const BodySink& on_body,
                                          const std::stop_token& stop) {
  // Queries may hold tokens.
  const std::string what = absl::StrCat(request.method, " ", endpoint_->url.Origin(), endpoint_->url.path,
                                        request.target.substr(0, request.target.find('?')));
  absl::StatusOr<Request> complete = Complete(request);
  if (!complete.ok()) return Annotate(MarkNeverSent(complete.status()), what);

  Watchdog::Exchange watch(watchdog_, request.timeout, stop);
  Attempt attempt = TryOnce(*complete, on_head, on_body, watch, /*fresh=*/false);
  if (attempt.may_be_stale && IsIdempotent(request.method) && !request.body_source) {
    attempt = TryOnce(*complete, on_head, on_body, watch, /*fresh=*/true);
  }
  if (!attempt.response.ok()) return Annotate(attempt.response.status(), what);
  return std::move(attempt.response);
}

absl::StatusOr<Request> Client::Complete(const Request& request) const {
  Request complete = request;
  complete.headers.emplace_back("User-Agent", options_.user_agent);
  if (!request.body.empty() || request.body_source) complete.headers.emplace_back("Content-Type", request.content_type);
  if (options_.authorization) {
    ASSIGN_OR_RETURN(std::string value, options_.authorization());
    if (!value.empty()) complete.headers.emplace_back("Authorization", std::move(value));
  }
  return complete;
}

Attempt Client::TryOnce(const Request& request, const ResponseSink& on_head, const BodySink& on_body, Watchdog::Exchange& watch,
                        bool fresh) {
  if (watch.verdict() == absl::StatusCode::kCancelled)
    return {.response = MarkNeverSent(absl::CancelledError("no longer wanted"))};
  std::unique_ptr<Connection> connection = fresh ? nullptr : TakeIdle();
  if (connection == nullptr) {
    absl::StatusOr<std::unique_ptr<Connection>> created = Connection::Create(*endpoint_);
    if (!created.ok()) return {.response = MarkNeverSent(created.status())};
    connection = *std::move(created);
  }
  Attempt attempt = connection->Exchange(request, on_head, on_body, watch);
  // The connection may be kept or closed: neither is the watchdog's any more.
  watch.Watch(-1);
  if (attempt.response.ok()) KeepIdle(std::move(connection));
  return attempt;
}

std::unique_ptr<Connection> Client::TakeIdle() {
  const auto oldest = std::chrono::steady_clock::now() - kMaxIdleAge;
  // Closed after the lock is released: a TLS goodbye is a write.
  std::vector<Idle> dead;
  const std::lock_guard guard(mutex_);
  while (!idle_.empty()) {
    Idle idle = std::move(idle_.back());
    idle_.pop_back();
    if (idle.since > oldest && idle.connection->Reusable()) return std::move(idle.connection);
    dead.push_back(std::move(idle));
  }
  return nullptr;
}

void Client::KeepIdle(std::unique_ptr<Connection> connection) {
  if (!connection->Reusable()) return;
  const auto now = std::chrono::steady_clock::now();
  std::vector<Idle> dead;
  const std::lock_guard guard(mutex_);
  const auto young = std::find_if(idle_.begin(), idle_.end(), [&](const Idle& idle) { return idle.since > now - kMaxIdleAge; });
  std::move(idle_.begin(), young, std::back_inserter(dead));
  idle_.erase(idle_.begin(), young);
  if (idle_.size() >= options_.max_idle) {
    dead.push_back({std::move(connection), now});
  } else {
    idle_.push_back({std::move(connection), now});
  }
}

}  // namespace kupen::http
