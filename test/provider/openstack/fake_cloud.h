// A Keystone that hands out tokens, and services that take them, without a network.
//
//   FakeCloud cloud;
//   cloud.Serve([](const http::Request& request) { return http::Response{.status = 200, .body = "{}"}; });
//   Session session(cloud.config(), cloud.transports(), clock);
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "provider/http/transport.h"
#include "provider/openstack/session.h"

namespace kupen::test {

class FakeCloud {
 public:
  struct Seen {
    std::string origin;
    http::Request request;
  };
  using Answer = std::function<absl::StatusOr<http::Response>(const http::Request& request)>;

  FakeCloud();

  // How to log in to it. Its catalog has compute, network, image, volumev3 and identity in region R1.
  openstack::Cloud config() const;
  openstack::Transports transports();

  // What the services answer to requests with a good token; others get a 401.
  void Serve(Answer answer);
  // What Keystone answers to a login instead of a token; an OK response of status 0 ends that.
  void AnswerLogins(absl::StatusOr<http::Response> answer);
  void set_token_life(absl::Duration life);
  void set_catalog(std::string catalog);
  // Of tokens to come: [{"name": "admin"}].
  void set_roles(std::string roles);
  // No token given out so far is good any more.
  void RevokeTokens();

  int logins() const;
  // All but logins.
  std::vector<Seen> requests() const;
  http::Request last_login() const;

 private:
  absl::StatusOr<http::Response> Handle(const std::string& origin, const http::Request& request);
  http::Response IssueToken();

  mutable std::mutex mutex_;
  Answer answer_;
  absl::StatusOr<http::Response> login_answer_;
  absl::Duration token_life_ = absl::Hours(1);
  std::string catalog_;
  std::string roles_ = R"([{"name": "admin"}])";
  std::set<std::string> good_tokens_;
  int logins_ = 0;
  http::Request last_login_;
  std::vector<Seen> requests_;
};

}  // namespace kupen::test
