#include "provider/openstack/error.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"

namespace kupen::openstack {
namespace {

using absl::StatusCode;
using ::testing::HasSubstr;
using ::testing::Not;

struct ErrorCase {
  const char* reason;
  const char* service;
  int status;
  // As the services send it; most were taken down from real ones.
  std::string body;
  StatusCode code;
  Disposition disposition;
  std::string message;
};

class ErrorTable : public testing::TestWithParam<ErrorCase> {};

TEST_P(ErrorTable, Row) {
  const ErrorCase& row = GetParam();
  const absl::Status status = ErrorFromResponse(row.service, {.status = row.status, .body = row.body});
  EXPECT_EQ(status.code(), row.code) << row.reason << ": " << status;
  EXPECT_EQ(DispositionName(DispositionOf(status)), DispositionName(row.disposition)) << row.reason;
  EXPECT_EQ(status.message(), row.message) << row.reason;
  EXPECT_EQ(HttpStatusOf(status), row.status);
}

INSTANTIATE_TEST_SUITE_P(
    Quota, ErrorTable,
    testing::Values(
        ErrorCase{
            "Nova's quota is a 403", "compute", 403,
            R"({"forbidden": {"code": 403, "message": "Quota exceeded for instances: Requested 1, but already used 10 of 10 instances"}})",
            StatusCode::kResourceExhausted, Disposition::kQuota,
            "nova: 403 Quota exceeded for instances: Requested 1, but already used 10 of 10 instances"},
        ErrorCase{"so are its other limits", "compute", 403,
                  R"({"forbidden": {"code": 403, "message": "Maximum number of ports exceeded"}})",
                  StatusCode::kResourceExhausted, Disposition::kQuota, "nova: 403 Maximum number of ports exceeded"},
        ErrorCase{
            "a policy about quotas is no quota", "compute", 403,
            R"({"forbidden": {"code": 403, "message": "Policy doesn't allow os_compute_api:os-quota-sets:update to be performed."}})",
            StatusCode::kPermissionDenied, Disposition::kRetry,
            "nova: 403 Policy doesn't allow os_compute_api:os-quota-sets:update to be performed."},
        ErrorCase{
            "Neutron's is a conflict", "network", 409,
            R"({"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: ['network'].", "detail": ""}})",
            StatusCode::kResourceExhausted, Disposition::kQuota, "neutron: 409 Quota exceeded for resources: ['network']."},
        ErrorCase{
            "a full subnet is like a full quota", "network", 409,
            R"({"NeutronError": {"type": "IpAddressGenerationFailure", "message": "No more IP addresses available on network n.", "detail": ""}})",
            StatusCode::kResourceExhausted, Disposition::kQuota, "neutron: 409 No more IP addresses available on network n."},
        ErrorCase{
            "Octavia's is a 403 with another body", "load-balancer", 403,
            R"({"faultcode": "Client", "faultstring": "Quota has been met for resources: Load Balancer", "debuginfo": null})",
            StatusCode::kResourceExhausted, Disposition::kQuota,
            "octavia: 403 Quota has been met for resources: Load Balancer"},
        ErrorCase{
            "Cinder's is a 413", "block-storage", 413,
            R"({"overLimit": {"code": 413, "message": "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'.", "retryAfter": "0"}})",
            StatusCode::kResourceExhausted, Disposition::kQuota,
            "cinder: 413 VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'."},
        ErrorCase{
            "Glance's is a 413 in HTML", "image", 413,
            "<html>\n <head>\n  <title>413 Request Entity Too Large</title>\n </head>\n <body>\n  <h1>413 Request Entity Too "
            "Large</h1>\n"
            "  Denying attempt to upload image because it exceeds the quota: &lt;x&gt;<br /><br />\n\n\n </body>\n</html>",
            StatusCode::kResourceExhausted, Disposition::kQuota,
            "glance: 413 Denying attempt to upload image because it exceeds the quota: <x>"},
        ErrorCase{
            "Keystone's has words of its own", "identity", 403,
            R"({"error": {"code": 403, "message": "Unable to create additional credentials, maximum of 5 already exceeded for user.", "title": "Forbidden"}})",
            StatusCode::kResourceExhausted, Disposition::kQuota,
            "keystone: 403 Unable to create additional credentials, maximum of 5 already exceeded for user."}));

INSTANTIATE_TEST_SUITE_P(
    Conflict, ErrorTable,
    testing::Values(
        ErrorCase{
            "an object in use will be free", "network", 409,
            R"({"NeutronError": {"type": "NetworkInUse", "message": "Unable to complete operation on network n. There are one or more ports still in use on the network.", "detail": ""}})",
            StatusCode::kFailedPrecondition, Disposition::kWait,
            "neutron: 409 Unable to complete operation on network n. There are one or more ports still in use on the network."},
        ErrorCase{
            "a load balancer is immutable only for now", "load-balancer", 409,
            R"({"faultcode": "Client", "faultstring": "Load Balancer lb is immutable and cannot be updated.", "debuginfo": null})",
            StatusCode::kFailedPrecondition, Disposition::kWait,
            "octavia: 409 Load Balancer lb is immutable and cannot be updated."},
        ErrorCase{
            "a server's task ends", "compute", 409,
            R"({"conflictingRequest": {"code": 409, "message": "Cannot 'stop' instance i while it is in task_state spawning"}})",
            StatusCode::kFailedPrecondition, Disposition::kWait,
            "nova: 409 Cannot 'stop' instance i while it is in task_state spawning"},
        ErrorCase{
            "Cinder calls a state a bad request", "block-storage", 400,
            R"({"badRequest": {"code": 400, "message": "Invalid volume: Volume status must be available or error, but current status is: in-use."}})",
            StatusCode::kFailedPrecondition, Disposition::kWait,
            "cinder: 400 Invalid volume: Volume status must be available or error, but current status is: in-use."},
        ErrorCase{
            "an image in use by a volume", "image", 409,
            R"({"message": "Image i could not be deleted because it is in use: ", "code": "409 Conflict", "title": "Conflict"})",
            StatusCode::kFailedPrecondition, Disposition::kWait,
            "glance: 409 Image i could not be deleted because it is in use:"},
        ErrorCase{"a key pair's name is taken", "compute", 409,
                  R"({"conflictingRequest": {"code": 409, "message": "Key pair 'k' already exists."}})",
                  StatusCode::kAlreadyExists, Disposition::kTerminal, "nova: 409 Key pair 'k' already exists."},
        ErrorCase{"an image's id is taken, be it of a deleted one", "image", 409,
                  R"({"message": "Image ID 1 already exists!<br /><br />\n\n", "code": "409 Conflict"})",
                  StatusCode::kAlreadyExists, Disposition::kTerminal, "glance: 409 Image ID 1 already exists!"},
        ErrorCase{
            "a project's name is taken", "identity", 409,
            R"({"error": {"code": 409, "message": "Conflict occurred attempting to store project - it is not permitted to have two projects with either the same name or same id in the same domain: name is p, project id 1.", "title": "Conflict"}})",
            StatusCode::kAlreadyExists, Disposition::kTerminal,
            "keystone: 409 Conflict occurred attempting to store project - it is not permitted to have two projects with "
            "either the "
            "same name or same id in the same domain: name is p, project id 1."},
        ErrorCase{
            "a rule exists", "network", 409,
            R"({"NeutronError": {"type": "SecurityGroupRuleExists", "message": "Security group rule already exists. Rule id is r.", "detail": ""}})",
            StatusCode::kAlreadyExists, Disposition::kTerminal,
            "neutron: 409 Security group rule already exists. Rule id is r."},
        ErrorCase{
            "an address is taken", "network", 409,
            R"({"NeutronError": {"type": "IpAddressInUse", "message": "Unable to complete operation for network n. The IP address 10.0.0.9 is in use.", "detail": ""}})",
            StatusCode::kAlreadyExists, Disposition::kTerminal,
            "neutron: 409 Unable to complete operation for network n. The IP address 10.0.0.9 is in use."},
        ErrorCase{
            "a listener's port is taken", "load-balancer", 409,
            R"({"faultcode": "Client", "faultstring": "Another Listener on this Load Balancer is already using protocol TCP and protocol_port 80", "debuginfo": null})",
            StatusCode::kAlreadyExists, Disposition::kTerminal,
            "octavia: 409 Another Listener on this Load Balancer is already using protocol TCP and protocol_port 80"},
        ErrorCase{
            "Placement's generations: look again", "placement", 409,
            R"({"errors": [{"status": 409, "title": "Conflict", "detail": "There was a conflict when trying to complete your request.\n\n generation conflict", "code": "placement.concurrent_update"}]})",
            StatusCode::kAborted, Disposition::kRetry,
            "placement: 409 There was a conflict when trying to complete your request. generation conflict"},
        ErrorCase{
            "Neutron's revisions: look again", "network", 412,
            R"({"NeutronError": {"type": "RevisionNumberConstraintFailed", "message": "Constrained to 3, but current revision is 4", "detail": ""}})",
            StatusCode::kAborted, Disposition::kRetry, "neutron: 412 Constrained to 3, but current revision is 4"}));

INSTANTIATE_TEST_SUITE_P(
    Others, ErrorTable,
    testing::Values(
        ErrorCase{"wrong for good", "compute", 400, R"({"badRequest": {"code": 400, "message": "Invalid imageRef provided."}})",
                  StatusCode::kInvalidArgument, Disposition::kTerminal, "nova: 400 Invalid imageRef provided."},
        ErrorCase{
            "Neutron's wrong values", "network", 400,
            R"({"NeutronError": {"type": "HTTPBadRequest", "message": "Invalid input for mtu. Reason: 'x' is not an integer.", "detail": ""}})",
            StatusCode::kInvalidArgument, Disposition::kTerminal,
            "neutron: 400 Invalid input for mtu. Reason: 'x' is not an integer."},
        ErrorCase{"Neutron's errors that are just text", "network", 400, R"({"NeutronError": "Unrecognized attribute(s) 'x'"})",
                  StatusCode::kInvalidArgument, Disposition::kTerminal, "neutron: 400 Unrecognized attribute(s) 'x'"},
        ErrorCase{"any other 4xx is the request's fault", "network", 422, "", StatusCode::kInvalidArgument,
                  Disposition::kTerminal, "neutron: 422 (no message)"},
        ErrorCase{
            "a token that is not taken", "compute", 401,
            R"({"error": {"code": 401, "title": "Unauthorized", "message": "The request you have made requires authentication."}})",
            StatusCode::kUnauthenticated, Disposition::kRetry, "nova: 401 The request you have made requires authentication."},
        ErrorCase{
            "a role may be granted later", "identity", 403,
            R"({"error": {"code": 403, "message": "You are not authorized to perform the requested action: identity:create_project.", "title": "Forbidden"}})",
            StatusCode::kPermissionDenied, Disposition::kRetry,
            "keystone: 403 You are not authorized to perform the requested action: identity:create_project."},
        ErrorCase{"not there", "compute", 404,
                  R"({"itemNotFound": {"code": 404, "message": "Instance i could not be found."}})", StatusCode::kNotFound,
                  Disposition::kRetry, "nova: 404 Instance i could not be found."},
        ErrorCase{"not there any more", "image", 410, "", StatusCode::kNotFound, Disposition::kRetry,
                  "glance: 410 (no message)"},
        ErrorCase{
            "a microversion that is not served", "compute", 406,
            R"({"computeFault": {"code": 406, "message": "Version 2.999 is not supported by the API. Minimum is 2.1 and maximum is 2.93."}})",
            StatusCode::kFailedPrecondition, Disposition::kTerminal,
            "nova: 406 Version 2.999 is not supported by the API. Minimum is 2.1 and maximum is 2.93."},
        ErrorCase{
            "a feature the driver lacks", "load-balancer", 501,
            R"({"faultcode": "Server", "faultstring": "Provider 'p' does not support a requested action: x", "debuginfo": null})",
            StatusCode::kUnimplemented, Disposition::kTerminal,
            "octavia: 501 Provider 'p' does not support a requested action: x"},
        ErrorCase{"an accident", "compute", 500,
                  R"({"computeFault": {"code": 500, "message": "Unexpected API Error. Please report this."}})",
                  StatusCode::kInternal, Disposition::kRetry, "nova: 500 Unexpected API Error. Please report this."},
        ErrorCase{"a proxy's page", "network", 502,
                  "<html><body><h1>502 Bad Gateway</h1>\nThe server returned an invalid response.\n</body></html>",
                  StatusCode::kUnavailable, Disposition::kRetry, "neutron: 502 The server returned an invalid response."},
        ErrorCase{"a page without a heading", "network", 504, "<html><body>gateway  timed out</body></html>",
                  StatusCode::kUnavailable, Disposition::kRetry, "neutron: 504 gateway timed out"},
        ErrorCase{"overload slows us down", "compute", 503, "", StatusCode::kUnavailable, Disposition::kRetryAfter,
                  "nova: 503 Service Unavailable"},
        ErrorCase{"a rate limit slows us down", "compute", 429, "Rate limit", StatusCode::kResourceExhausted,
                  Disposition::kRetryAfter, "nova: 429 Rate limit"},
        ErrorCase{"a redirect means that the endpoint is wrong", "compute", 302, "", StatusCode::kFailedPrecondition,
                  Disposition::kRetry, "nova: 302 (no message)"},
        ErrorCase{"a service that we don't know", "reservation", 400, R"({"error_message": "no"})",
                  StatusCode::kInvalidArgument, Disposition::kTerminal, "reservation: 400 no"},
        ErrorCase{"JSON that is none", "network", 400, "{oops", StatusCode::kInvalidArgument, Disposition::kTerminal,
                  "neutron: 400 {oops"},
        ErrorCase{"an empty object", "network", 400, "{}", StatusCode::kInvalidArgument, Disposition::kTerminal,
                  "neutron: 400 Bad Request"}));

TEST(Error, HonoursRetryAfter) {
  const absl::Status busy = ErrorFromResponse("compute", {.status = 429, .headers = {{"Retry-After", "17"}}});
  EXPECT_EQ(RetryAfterOf(busy), absl::Seconds(17));
  EXPECT_EQ(RetryAfterOf(ErrorFromResponse("compute", {.status = 503})), absl::Seconds(5))
      << "a guess, where the service gives none";
}

TEST(Error, A413WithATimeIsARateLimit) {
  const absl::Status limited = ErrorFromResponse("compute", {.status = 413, .headers = {{"Retry-After", "3"}}});
  EXPECT_EQ(DispositionOf(limited), Disposition::kRetryAfter);
  const absl::Status quota = ErrorFromResponse("block-storage", {.status = 413, .headers = {{"Retry-After", "0"}}});
  EXPECT_EQ(DispositionOf(quota), Disposition::kQuota);
}

TEST(Error, RequestIdIsBesideTheMessage) {
  const absl::Status status = ErrorFromResponse("compute", {.status = 500, .headers = {{"x-openstack-request-id", "req-1 2"}}});
  EXPECT_EQ(RequestIdOf(status), "req-1 2");
  EXPECT_EQ(RequestIdOf(Annotate(status, "server s")), "req-1 2");
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("req-1")));
}

TEST(Error, BlotsOutSecrets) {
  const http::Response response = {.status = 400,
                                   .body = R"({"error": {"message": "Invalid input for field 'password': hunter2marker"}})"};
  const absl::Status status = ErrorFromResponse("identity", response, {"", "hunter2marker"});
  EXPECT_EQ(status.message(), "keystone: 400 Invalid input for field 'password': ***");
}

TEST(Error, BlotsOutSecretsThatWouldBeCutOrJoined) {
  const std::string text = std::string(1020, 'x') + "hunter2marker";
  EXPECT_THAT(std::string(ErrorFromResponse("compute", {.status = 400, .body = text}, {"hunter2marker"}).message()),
              Not(HasSubstr("hun")));
  EXPECT_EQ(ErrorFromResponse("compute", {.status = 400, .body = "not 'two  words'"}, {"two  words"}).message(),
            "nova: 400 not '***'");
}

TEST(Error, LongTextsAreCut) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "ä";
  const absl::Status status = ErrorFromResponse("compute", {.status = 500, .body = text});
  EXPECT_LT(status.message().size(), 1100U);
  EXPECT_TRUE(absl::string_view(status.message()).substr(status.message().size() - 5) == "ä…") << "cut between characters";
}

TEST(Error, WithoutAnAnswerTheCodeDecides) {
  EXPECT_EQ(DispositionOf(absl::UnavailableError("connection refused")), Disposition::kRetry);
  EXPECT_EQ(DispositionOf(absl::DeadlineExceededError("too slow")), Disposition::kRetry);
  EXPECT_EQ(DispositionOf(absl::InvalidArgumentError("clouds.yaml")), Disposition::kTerminal);
  EXPECT_EQ(HttpStatusOf(absl::UnavailableError("")), 0);
  EXPECT_EQ(RequestIdOf(absl::UnavailableError("")), "");
}

}  // namespace
}  // namespace kupen::openstack
