#include "test/provider/openstack/fake_cloud.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kupen::test {
namespace {

constexpr char kCatalog[] = R"([
  {"type": "identity", "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://keystone:5000"}]},
  {"type": "compute", "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://nova:8774/v2.1"}]},
  {"type": "network", "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://neutron:9696/"}]},
  {"type": "image", "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://glance:9292"}]},
  {"type": "volumev3", "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://cinder:8776/v3/p1"}]}
])";

class AnsweringTransport final : public http::Transport {
 public:
  using Answer = FakeCloud::Answer;

  explicit AnsweringTransport(Answer answer) : answer_(std::move(answer)) {}

  absl::StatusOr<http::Response> Send(const http::Request& request, const std::stop_token& stop) override {
    if (stop.stop_requested()) return absl::CancelledError("stopped");
    return answer_(request);
  }

  absl::StatusOr<http::Response> Stream(const http::Request&, const http::ResponseSink&, const http::BodySink&,
                                        const std::stop_token&) override {
    return absl::UnimplementedError("this layer asks for whole answers");
  }

 private:
  const Answer answer_;
};

}  // namespace

FakeCloud::FakeCloud() : login_answer_(http::Response{}), catalog_(kCatalog) {}

openstack::Cloud FakeCloud::config() const {
  openstack::Cloud cloud;
  cloud.name = "fake";
  cloud.auth_url = "http://keystone:5000/v3";
  cloud.credentials.user.id = "u1";
  cloud.credentials.secret = "password-marker";
  cloud.scope.project.id = "p1";
  cloud.region = "R1";
  return cloud;
}

openstack::Transports FakeCloud::transports() {
  return [this](const std::string& origin, const openstack::Tls&) -> absl::StatusOr<std::shared_ptr<http::Transport>> {
    return std::make_shared<AnsweringTransport>(
        [this, origin](const http::Request& request) { return Handle(origin, request); });
  };
}

void FakeCloud::Serve(Answer answer) {
  const std::lock_guard guard(mutex_);
  answer_ = std::move(answer);
}

void FakeCloud::AnswerLogins(absl::StatusOr<http::Response> answer) {
  const std::lock_guard guard(mutex_);
  login_answer_ = std::move(answer);
}

void FakeCloud::set_token_life(absl::Duration life) {
  const std::lock_guard guard(mutex_);
  token_life_ = life;
}

void FakeCloud::set_catalog(std::string catalog) {
  const std::lock_guard guard(mutex_);
  catalog_ = std::move(catalog);
}

void FakeCloud::set_roles(std::string roles) {
  const std::lock_guard guard(mutex_);
  roles_ = std::move(roles);
}

void FakeCloud::RevokeTokens() {
  const std::lock_guard guard(mutex_);
  good_tokens_.clear();
}

int FakeCloud::logins() const {
  const std::lock_guard guard(mutex_);
  return logins_;
}

std::vector<FakeCloud::Seen> FakeCloud::requests() const {
  const std::lock_guard guard(mutex_);
  return requests_;
}

http::Request FakeCloud::last_login() const {
  const std::lock_guard guard(mutex_);
  return last_login_;
}

absl::StatusOr<http::Response> FakeCloud::Handle(const std::string& origin, const http::Request& request) {
  Answer answer;
  {
    const std::lock_guard guard(mutex_);
    if (request.method == "POST" && request.target == "/v3/auth/tokens") {
      ++logins_;
      last_login_ = request;
      if (!login_answer_.ok() || login_answer_->status != 0) return login_answer_;
      return IssueToken();
    }
    requests_.push_back({.origin = origin, .request = request});
    if (!good_tokens_.contains(std::string(http::Find(request.headers, "X-Auth-Token")))) {
      return http::Response{.status = 401,
                            .body = R"({"error": {"message": "The request you have made requires authentication."}})"};
    }
    answer = answer_;
  }
  return answer(request);
}

http::Response FakeCloud::IssueToken() {
  const std::string token = absl::StrCat("token-marker-", logins_);
  good_tokens_.insert(token);
  // Issued by a clock that knows nothing of the test's.
  const absl::Time issued = absl::FromUnixSeconds(1'000'000'000);
  const auto format = [](absl::Time time) { return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone()); };
  return {.status = 201,
          .headers = {{"X-Subject-Token", token}},
          .body = absl::StrCat(R"({"token": {"issued_at": ")", format(issued), R"(", "expires_at": ")",
                               format(issued + token_life_), R"(", "user": {"id": "u1"}, "project": {"id": "p1"}, "roles": )",
                               roles_, R"(, "catalog": )", catalog_, "}}")};
}

}  // namespace kupen::test
