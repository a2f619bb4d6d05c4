// A Keystone v3 token: what to ask with, and what the answer says.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "provider/http/transport.h"
#include "provider/openstack/catalog.h"
#include "provider/openstack/cloud.h"

namespace kupen::openstack {

struct Token {
  // For the X-Auth-Token header. A secret.
  std::string value;
  // How long it is good, counted from its issue: the two clocks need not agree.
  absl::Duration life;
  std::string user_id;
  // Empty if the token is not for a project.
  std::string project_id;
  // Names, sorted.
  std::vector<std::string> roles;
  Catalog catalog;
};

// The body of POST /v3/auth/tokens.
std::string TokenRequestBody(const Credentials& credentials, const Scope& scope);

// From the answer to it, a 201.
absl::StatusOr<Token> ParseToken(const http::Response& response);

}  // namespace kupen::openstack
