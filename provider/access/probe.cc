#include "provider/access/probe.h"

#include <algorithm>
#include <memory>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "provider/access/problem.h"
#include "provider/base/status.h"
#include "provider/openstack/error.h"
#include "provider/openstack/microversion.h"
#include "provider/openstack/service.h"
#include "provider/openstack/token.h"

namespace kupen::access {
namespace {

absl::Status LoginProblem(const absl::Status& status) {
  // It was us who hung up.
  if (absl::IsCancelled(status)) return status;
  const int http = openstack::HttpStatusOf(status);
  if (http == 0 && absl::IsPermissionDenied(status)) return Because(kAddressRefused, status);
  if (http == 401 || http == 403) return Because(kAuthenticationFailed, status);
  // Keystone, or our own TLS, does not even understand them.
  if (http == 400 || absl::IsInvalidArgument(status)) return Because(kInvalidCredentials, status);
  return Because(kUnreachable, status);
}

// The region in use.
absl::StatusOr<std::string> ChooseRegion(const openstack::Cloud& cloud, const openstack::Token& token) {
  if (token.catalog.ServiceTypes().empty()) {
    return Because(kInvalidCredentials, absl::FailedPreconditionError(
                                            "the token's catalog is empty: give a project in clouds.yaml (auth.project_name)"));
  }
  const std::vector<std::string> regions = token.catalog.Regions();
  const std::string all = absl::StrJoin(regions, ", ");
  if (cloud.region.empty() && regions.size() > 1) {
    return Because(kNoSuchRegion, absl::FailedPreconditionError(absl::StrCat("the cloud has the regions ", all,
                                                                             ": say which one to use in spec.region")));
  }
  if (cloud.region.empty()) return regions.empty() ? "" : regions.front();
  if (std::find(regions.begin(), regions.end(), cloud.region) == regions.end()) {
    return Because(kNoSuchRegion,
                   absl::NotFoundError(absl::StrCat("the cloud has no region ", cloud.region, "; it has: ", all)));
  }
  return cloud.region;
}

// The segment of a URL that names a version; empty if none does.
std::string VersionIn(absl::string_view url) {
  for (const absl::string_view segment : absl::StrSplit(url, '/')) {
    if (segment.size() >= 2 && segment[0] == 'v' && absl::ascii_isdigit(static_cast<unsigned char>(segment[1]))) {
      return std::string(segment);
    }
  }
  return "";
}

FoundService LookAt(openstack::Session& session, const std::string& type, const std::string& url, const std::stop_token& stop) {
  FoundService found = {.type = type, .url = url, .version = VersionIn(url), .microversion = ""};
  if (openstack::ServiceNamed(type).microversion_name.empty()) return found;
  if (const auto served = session.ServedMicroversions(type, stop); served.ok()) found.microversion = ToString(served->max);
  return found;
}

}  // namespace

std::vector<std::string> ServiceTypesOf(const apis::Kinds& kinds) {
  std::set<std::string> types;
  for (const apis::Kind& kind : kinds.all()) {
    if (kind.managed()) types.insert(kind.options.rest().service());
  }
  return {types.begin(), types.end()};
}

absl::StatusOr<Findings> Probe(openstack::Session& session, const std::vector<std::string>& service_types,
                               const std::stop_token& stop) {
  const absl::StatusOr<std::shared_ptr<const openstack::Token>> token = session.GetToken(stop);
  if (!token.ok()) return LoginProblem(token.status());
  Findings findings;
  ASSIGN_OR_RETURN(findings.region, ChooseRegion(session.cloud(), **token));
  findings.project_id = (*token)->project_id;
  findings.user_id = (*token)->user_id;
  findings.services.reserve(service_types.size());
  for (const std::string& type : service_types) {
    if (const auto url = session.EndpointOf(type, stop); url.ok())
      findings.services.push_back(LookAt(session, type, *url, stop));
  }
  return findings;
}

}  // namespace kupen::access
