#include "provider/openstack/error.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "provider/base/text.h"
#include "provider/openstack/error_body.h"
#include "provider/openstack/service.h"

namespace kupen::openstack {
namespace {

using absl::StatusCode;

constexpr absl::string_view kPayload = "kupenstack.io/openstack-error";
constexpr absl::Duration kDefaultRetryAfter = absl::Seconds(5);
// Longer texts are tracebacks or pages, not messages; and a condition's message has its limits.
constexpr size_t kLongest = 1024;

// A rule of the table. The first that fits decides. Text is matched, in any case, in the body's type and message: a status
// alone says too little (Neutron's 409 is a full quota, a duplicate or an object in use), and only Neutron has types.
struct Rule {
  // Empty: any service.
  absl::string_view service;
  // 0: any status; 4 or 5: any of that hundred that no rule before knew.
  int status;
  // Empty: whatever the body says.
  absl::string_view text;
  StatusCode code;
  Disposition disposition;
};

constexpr std::array kRules = {
    // Used up. Nova and Octavia say 403, Neutron 409, Cinder and Glance 413; a 413 that names a time is a rate limit (below).
    Rule{"", 403, "quota exceeded", StatusCode::kResourceExhausted, Disposition::kQuota},
    Rule{"", 403, "quota has been met", StatusCode::kResourceExhausted, Disposition::kQuota},
    Rule{"", 403, "maximum number of", StatusCode::kResourceExhausted, Disposition::kQuota},
    Rule{"", 403, "limit exceeded", StatusCode::kResourceExhausted, Disposition::kQuota},
    Rule{"", 403, "over limit", StatusCode::kResourceExhausted, Disposition::kQuota},
    Rule{"keystone", 403, "unable to create additional", StatusCode::kResourceExhausted, Disposition::kQuota},
    Rule{"", 409, "overquota", StatusCode::kResourceExhausted, Disposition::kQuota},
    Rule{"", 409, "quota exceeded", StatusCode::kResourceExhausted, Disposition::kQuota},
    Rule{"neutron", 409, "ipaddressgenerationfailure", StatusCode::kResourceExhausted, Disposition::kQuota},
    Rule{"neutron", 400, "externalipaddressexhausted", StatusCode::kResourceExhausted, Disposition::kQuota},
    Rule{"neutron", 503, "nonetworkavailable", StatusCode::kResourceExhausted, Disposition::kQuota},
    Rule{"", 413, "", StatusCode::kResourceExhausted, Disposition::kQuota},

    // It exists: only another name, id or key helps.
    Rule{"", 409, "already exist", StatusCode::kAlreadyExists, Disposition::kTerminal},
    Rule{"", 409, "duplicate", StatusCode::kAlreadyExists, Disposition::kTerminal},
    Rule{"keystone", 409, "attempting to store", StatusCode::kAlreadyExists, Disposition::kTerminal},
    Rule{"neutron", 409, "exists", StatusCode::kAlreadyExists, Disposition::kTerminal},
    Rule{"neutron", 409, "ipaddressinuse", StatusCode::kAlreadyExists, Disposition::kTerminal},
    Rule{"neutron", 409, "macaddressinuse", StatusCode::kAlreadyExists, Disposition::kTerminal},
    Rule{"octavia", 409, "is already using", StatusCode::kAlreadyExists, Disposition::kTerminal},
    Rule{"octavia", 409, "already has a", StatusCode::kAlreadyExists, Disposition::kTerminal},

    // Somebody else wrote at the same time: look again and repeat.
    Rule{"placement", 409, "concurrent", StatusCode::kAborted, Disposition::kRetry},
    Rule{"", 412, "", StatusCode::kAborted, Disposition::kRetry},

    // Not in this state: in use, being built, immutable while PENDING. Cinder calls that a bad request.
    Rule{"", 409, "", StatusCode::kFailedPrecondition, Disposition::kWait},
    Rule{"", 423, "", StatusCode::kFailedPrecondition, Disposition::kWait},
    Rule{"cinder", 400, "invalid volume: ", StatusCode::kFailedPrecondition, Disposition::kWait},
    Rule{"cinder", 400, "invalid snapshot: ", StatusCode::kFailedPrecondition, Disposition::kWait},
    Rule{"cinder", 400, "invalid backup: ", StatusCode::kFailedPrecondition, Disposition::kWait},

    // Not allowed, not there. Roles are granted and things appear without a change of spec.
    Rule{"", 401, "", StatusCode::kUnauthenticated, Disposition::kRetry},
    Rule{"", 403, "", StatusCode::kPermissionDenied, Disposition::kRetry},
    Rule{"", 404, "", StatusCode::kNotFound, Disposition::kRetry},
    Rule{"", 410, "", StatusCode::kNotFound, Disposition::kRetry},

    // Wrong for good.
    Rule{"", 405, "", StatusCode::kUnimplemented, Disposition::kTerminal},
    Rule{"", 406, "", StatusCode::kFailedPrecondition, Disposition::kTerminal},
    Rule{"", 501, "", StatusCode::kUnimplemented, Disposition::kTerminal},

    // Not now.
    Rule{"", 408, "", StatusCode::kDeadlineExceeded, Disposition::kRetry},
    Rule{"", 429, "", StatusCode::kResourceExhausted, Disposition::kRetryAfter},
    Rule{"", 503, "", StatusCode::kUnavailable, Disposition::kRetryAfter},
    Rule{"", 500, "", StatusCode::kInternal, Disposition::kRetry},

    Rule{"", 4, "", StatusCode::kInvalidArgument, Disposition::kTerminal},
    Rule{"", 5, "", StatusCode::kUnavailable, Disposition::kRetry},
    // A redirect or a page: the endpoint is not the service. Somebody may mend the catalog.
    Rule{"", 0, "", StatusCode::kFailedPrecondition, Disposition::kRetry},
};

const Rule& RuleFor(absl::string_view project, int status, const ErrorBody& body) {
  const std::string said = absl::AsciiStrToLower(absl::StrCat(body.type, ": ", body.message));
  for (const Rule& rule : kRules) {
    if (!rule.service.empty() && rule.service != project) continue;
    if (rule.status != 0 && rule.status != status && rule.status != status / 100) continue;
    if (absl::StrContains(said, rule.text)) return rule;
  }
  return kRules.back();
}

absl::string_view ReasonPhrase(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 409:
      return "Conflict";
    case 413:
      return "Request Entity Too Large";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "(no message)";
  }
}

// For the user: one line, without secrets. They go first, while they are whole.
std::string Shown(std::string message, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    if (!secret.empty()) absl::StrReplaceAll({{secret, "***"}}, &message);
  }
  // webob leaves its line breaks in JSON, too.
  absl::StrReplaceAll({{"<br />", " "}, {"<br/>", " "}}, &message);
  absl::RemoveExtraAsciiWhitespace(&message);
  return message.size() <= kLongest ? message : absl::StrCat(Cut(message, kLongest), "…");
}

// Seconds; the other form that HTTP knows, a date, no OpenStack service sends.
absl::Duration RetryAfterHeader(const http::Response& response) {
  int seconds = 0;
  if (!absl::SimpleAtoi(http::Find(response.headers, "Retry-After"), &seconds) || seconds < 0) return absl::ZeroDuration();
  return absl::Seconds(seconds);
}

struct Facts {
  Disposition disposition = Disposition::kRetry;
  int http_status = 0;
  absl::Duration retry_after;
  std::string request_id;
};

void Attach(const Facts& facts, absl::Status* status) {
  status->SetPayload(kPayload, absl::Cord(absl::StrCat(static_cast<int>(facts.disposition), " ", facts.http_status, " ",
                                                       absl::ToInt64Milliseconds(facts.retry_after), " ", facts.request_id)));
}

std::optional<Facts> FactsOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return std::nullopt;
  const std::string text(*payload);
  const std::vector<std::string> parts = absl::StrSplit(text, absl::MaxSplits(' ', 3));
  Facts facts;
  int disposition = 0;
  int64_t milliseconds = 0;
  if (parts.size() != 4 || !absl::SimpleAtoi(parts[0], &disposition) || !absl::SimpleAtoi(parts[1], &facts.http_status) ||
      !absl::SimpleAtoi(parts[2], &milliseconds)) {
    return std::nullopt;
  }
  facts.disposition = static_cast<Disposition>(disposition);
  facts.retry_after = absl::Milliseconds(milliseconds);
  facts.request_id = parts[3];
  return facts;
}

}  // namespace

absl::Status ErrorFromResponse(absl::string_view service_type, const http::Response& response,
                               const std::vector<std::string>& secrets) {
  const absl::string_view project = ServiceNamed(service_type).project;
  ErrorBody body = ParseErrorBody(response.body);
  body.message = Shown(std::move(body.message), secrets);
  const Rule& rule = RuleFor(project, response.status, body);
  Facts facts{.disposition = rule.disposition,
              .http_status = response.status,
              .retry_after = RetryAfterHeader(response),
              .request_id = std::string(RequestIdOf(response))};
  if (response.status == 413 && facts.retry_after > absl::ZeroDuration()) facts.disposition = Disposition::kRetryAfter;
  if (facts.disposition == Disposition::kRetryAfter && facts.retry_after == absl::ZeroDuration()) {
    facts.retry_after = kDefaultRetryAfter;
  }
  const absl::string_view message = body.message.empty() ? ReasonPhrase(response.status) : absl::string_view(body.message);
  absl::Status status(rule.code, absl::StrCat(project, ": ", response.status, " ", message));
  Attach(facts, &status);
  return status;
}

Disposition DispositionOf(const absl::Status& status) {
  if (const std::optional<Facts> facts = FactsOf(status)) return facts->disposition;
  switch (status.code()) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kUnimplemented:
      return Disposition::kTerminal;
    default:
      return Disposition::kRetry;
  }
}

absl::string_view DispositionName(Disposition disposition) {
  switch (disposition) {
    case Disposition::kWait:
      return "wait";
    case Disposition::kRetry:
      return "retry";
    case Disposition::kRetryAfter:
      return "retry-after";
    case Disposition::kTerminal:
      return "terminal";
    case Disposition::kQuota:
      return "quota";
  }
  return "";
}

int HttpStatusOf(const absl::Status& status) {
  const std::optional<Facts> facts = FactsOf(status);
  return facts.has_value() ? facts->http_status : 0;
}

absl::Duration RetryAfterOf(const absl::Status& status) {
  const std::optional<Facts> facts = FactsOf(status);
  return facts.has_value() ? facts->retry_after : absl::ZeroDuration();
}

absl::Status WithRetryAfter(const absl::Status& status, absl::Duration left) {
  Facts facts = FactsOf(status).value_or(Facts{});
  facts.retry_after = left;
  facts.request_id.clear();
  absl::Status later = status;
  Attach(facts, &later);
  return later;
}

std::string RequestIdOf(const absl::Status& status) {
  std::optional<Facts> facts = FactsOf(status);
  return facts.has_value() ? std::move(facts->request_id) : "";
}

absl::string_view RequestIdOf(const http::Response& response) { return http::Find(response.headers, "X-Openstack-Request-Id"); }

}  // namespace kupen::openstack
