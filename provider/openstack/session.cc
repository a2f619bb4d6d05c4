#include "provider/openstack/session.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "provider/base/status.h"
#include "provider/base/uuid.h"
#include "provider/openstack/error.h"
#include "provider/openstack/service.h"

namespace kupen::openstack {
namespace {

constexpr int kUnauthorized = 401;
constexpr int kNotAcceptable = 406;

bool IsVersion(absl::string_view segment) {
  return segment.size() >= 2 && segment[0] == 'v' && absl::ascii_isdigit(static_cast<unsigned char>(segment[1]));
}

// A path up to and with the segment that names a version; empty if none does.
std::string VersionRoot(absl::string_view path) {
  std::vector<absl::string_view> segments = absl::StrSplit(path, '/');
  const auto version = std::find_if(segments.begin(), segments.end(), IsVersion);
  if (version == segments.end()) return "";
  segments.erase(version + 1, segments.end());
  return absl::StrJoin(segments, "/");
}

http::Headers CommonHeaders(const std::string& operation_id) {
  return {{"Accept", "application/json"}, {"X-Openstack-Request-Id", operation_id.empty() ? NewOperationId() : operation_id}};
}

bool IsSuccess(const http::Response& response) { return response.status >= 200 && response.status < 300; }

}  // namespace

// The services refuse ids that don't look like this.
std::string NewOperationId() { return absl::StrCat("req-", NewUuid()); }

Session::Session(Cloud cloud, Transports transports, Clock& clock, std::shared_ptr<MicroversionCache> versions)
    : cloud_(std::move(cloud)),
      transports_(std::move(transports)),
      versions_(versions != nullptr ? std::move(versions) : std::make_shared<MicroversionCache>(clock)),
      tokens_([this](const std::stop_token& stop) { return LogIn(stop); }, clock),
      pauses_(clock) {}

absl::StatusOr<std::shared_ptr<http::Transport>> Session::TransportTo(const std::string& origin) {
  const std::lock_guard guard(mutex_);
  const auto found = transports_by_origin_.find(origin);
  if (found != transports_by_origin_.end()) return found->second;
  ASSIGN_OR_RETURN(std::shared_ptr<http::Transport> transport, transports_(origin, cloud_.tls));
  transports_by_origin_.emplace(origin, transport);
  return transport;
}

absl::StatusOr<Token> Session::LogIn(const std::stop_token& stop) {
  const auto ask = [this, &stop]() -> absl::StatusOr<Token> {
    ASSIGN_OR_RETURN(const http::Url url, http::ParseUrl(cloud_.auth_url));
    ASSIGN_OR_RETURN(const std::shared_ptr<http::Transport> transport, TransportTo(url.Origin()));
    const absl::StatusOr<http::Response> response = transport->Send({.method = "POST",
                                                                     .target = url.path + "/auth/tokens",
                                                                     .headers = CommonHeaders(""),
                                                                     .body = TokenRequestBody(cloud_.credentials, cloud_.scope),
                                                                     .service = "identity"},
                                                                    stop);
    if (!response.ok()) return Annotate(response.status(), "keystone");
    if (!IsSuccess(*response)) return ErrorFromResponse("identity", *response, {cloud_.credentials.secret});
    return ParseToken(*response);
  };
  absl::StatusOr<Token> token = ask();
  if (!token.ok())
    return Annotate(token.status(), absl::StrCat("cannot log in to cloud \"", cloud_.name, "\" at ", cloud_.auth_url));
  return token;
}

absl::StatusOr<http::Url> Session::FindEndpoint(const std::string& service_type, const Token& token) const {
  const Service service = ServiceNamed(service_type);
  const auto found = cloud_.services.find(std::string(service.type));
  const ServiceSettings settings = found == cloud_.services.end() ? ServiceSettings() : found->second;
  std::string text = settings.endpoint;
  if (text.empty()) {
    ASSIGN_OR_RETURN(text, token.catalog.Endpoint(service.type, settings.region.empty() ? cloud_.region : settings.region,
                                                  settings.interface.empty() ? cloud_.interface : settings.interface));
  }
  absl::StatusOr<http::Url> url = http::ParseUrl(text);
  if (!url.ok()) return Annotate(url.status(), absl::StrCat("the endpoint of ", service.type));
  if (!VersionRoot(url->path).empty()) return url;
  absl::StrAppend(&url->path, service.version_path);
  // Before Yoga, Cinder has no paths without a project.
  if (service.type == "block-storage") absl::StrAppend(&url->path, "/", token.project_id);
  return url;
}

absl::StatusOr<http::Response> Session::Exchange(const ServiceRequest& request, bool at_root, const http::Headers& headers,
                                                 const std::stop_token& stop) {
  const absl::string_view project = ServiceNamed(request.service).project;
  RETURN_IF_ERROR(pauses_.Check(request.service));
  http::Headers all = CommonHeaders(request.operation_id);
  all.insert(all.end(), request.headers.begin(), request.headers.end());
  all.insert(all.end(), headers.begin(), headers.end());
  all.emplace_back("X-Auth-Token", "");
  for (bool again = request.body_source == nullptr;; again = false) {
    ASSIGN_OR_RETURN(const std::shared_ptr<const Token> token, tokens_.Get(stop));
    ASSIGN_OR_RETURN(const http::Url endpoint, FindEndpoint(request.service, *token));
    ASSIGN_OR_RETURN(const std::shared_ptr<http::Transport> transport, TransportTo(endpoint.Origin()));
    all.back().second = token->value;
    const std::string query = request.query.empty() ? "" : absl::StrCat("?", EncodeQuery(request.query));
    const std::string target =
        at_root ? absl::StrCat(VersionRoot(endpoint.path), "/") : absl::StrCat(endpoint.path, request.path, query);
    absl::StatusOr<http::Response> response = transport->Send({.method = request.method,
                                                               .target = target,
                                                               .headers = all,
                                                               .body = request.body,
                                                               .body_source = request.body_source,
                                                               .content_type = request.content_type,
                                                               .timeout = request.timeout,
                                                               .service = request.service},
                                                              stop);
    if (!response.ok()) return Annotate(response.status(), project);
    if (IsSuccess(*response)) return response;
    if (response->status == kUnauthorized && again && tokens_.Reject(*token)) continue;
    std::vector<std::string> secrets = request.secrets;
    secrets.push_back(token->value);
    absl::Status refusal = ErrorFromResponse(request.service, *response, secrets);
    pauses_.Note(request.service, refusal);
    return refusal;
  }
}

absl::StatusOr<std::shared_ptr<const Token>> Session::GetFreshToken(const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const Token> token, tokens_.Get(stop));
  tokens_.Reject(*token);
  return tokens_.Get(stop);
}

absl::StatusOr<std::string> Session::EndpointOf(const std::string& service, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const Token> token, tokens_.Get(stop));
  ASSIGN_OR_RETURN(const http::Url endpoint, FindEndpoint(service, *token));
  return endpoint.Origin() + endpoint.path;
}

absl::StatusOr<MicroversionRange> Session::ServedMicroversions(const std::string& service, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const Token> token, tokens_.Get(stop));
  ASSIGN_OR_RETURN(const http::Url endpoint, FindEndpoint(service, *token));
  const std::string key = endpoint.Origin() + VersionRoot(endpoint.path);
  if (const std::optional<MicroversionRange> known = versions_->Find(key)) return *known;
  ASSIGN_OR_RETURN(const http::Response response, Exchange({.service = service, .path = ""}, /*at_root=*/true, {}, stop));
  absl::StatusOr<MicroversionRange> served = ParseVersionDocument(response.body);
  if (!served.ok()) return Annotate(served.status(), absl::StrCat(ServiceNamed(service).project, " at ", key));
  versions_->Keep(key, *served);
  return served;
}

absl::StatusOr<Microversion> Session::ChooseMicroversion(const std::string& service, MicroversionRange wanted,
                                                         const std::stop_token& stop) {
  const auto found = cloud_.services.find(std::string(ServiceNamed(service).type));
  if (found != cloud_.services.end() && !found->second.microversion.empty()) {
    const absl::StatusOr<Microversion> limit = ParseMicroversion(found->second.microversion);
    const std::string setting = absl::StrCat("default_microversion of ", service);
    if (!limit.ok()) return Annotate(limit.status(), setting);
    if (*limit < wanted.min) {
      return absl::FailedPreconditionError(
          absl::StrCat(setting, ": is ", ToString(*limit), ", but ", ToString(wanted.min), " is needed"));
    }
    wanted.max = std::min(wanted.max, *limit);
  }
  ASSIGN_OR_RETURN(const MicroversionRange served, ServedMicroversions(service, stop));
  return Negotiate(service, wanted, served);
}

absl::StatusOr<http::Response> Session::Send(const ServiceRequest& request, const std::stop_token& stop) {
  http::Headers headers;
  if (request.microversions.has_value()) {
    ASSIGN_OR_RETURN(const Microversion version, ChooseMicroversion(request.service, *request.microversions, stop));
    AddMicroversion(request.service, version, &headers);
  }
  absl::StatusOr<http::Response> response = Exchange(request, /*at_root=*/false, headers, stop);
  // A downgraded or half-upgraded service: ask again what it serves.
  if (HttpStatusOf(response.status()) == kNotAcceptable) versions_->Clear();
  return response;
}

}  // namespace kupen::openstack
