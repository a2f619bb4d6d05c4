#include "test/e2e/openstack/real_cloud.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "provider/base/clock.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/openstack/clouds_yaml.h"
#include "provider/openstack/transports.h"

namespace kupen::test {
namespace {

class CountingTransport final : public http::Transport {
 public:
  CountingTransport(std::shared_ptr<http::Transport> inner, std::shared_ptr<std::atomic<int>> logins)
      : inner_(std::move(inner)), logins_(std::move(logins)) {}

  absl::StatusOr<http::Response> Send(const http::Request& request, const std::stop_token& stop) override {
    if (request.method == "POST" && absl::EndsWith(request.target, "/auth/tokens")) ++*logins_;
    return inner_->Send(request, stop);
  }

  absl::StatusOr<http::Response> Stream(const http::Request& request, const http::ResponseSink& on_head,
                                        const http::BodySink& on_body, const std::stop_token& stop) override {
    return inner_->Stream(request, on_head, on_body, stop);
  }

 private:
  const std::shared_ptr<http::Transport> inner_;
  const std::shared_ptr<std::atomic<int>> logins_;
};

}  // namespace

openstack::Cloud RealCloud(absl::string_view name) {
  const char* path = std::getenv("OS_CLIENT_CONFIG_FILE");
  std::ostringstream text;
  text << std::ifstream(path == nullptr ? "" : path).rdbuf();
  absl::StatusOr<openstack::Cloud> cloud = openstack::ParseCloudsYaml(text.str(), name);
  if (!cloud.ok()) {
    std::cerr << "$OS_CLIENT_CONFIG_FILE: " << cloud.status() << "\n";
    std::exit(1);
  }
  return *std::move(cloud);
}

std::string ScratchName(absl::string_view prefix) {
  static std::atomic<int> count = 0;
  return absl::StrCat(prefix, "-", getpid(), "-", ++count);
}

rapidjson::Document Json(absl::string_view text) {
  absl::StatusOr<rapidjson::Document> document = json::Parse(text);
  EXPECT_TRUE(document.ok()) << document.status() << "\n" << text;
  return document.ok() ? *std::move(document) : rapidjson::Document();
}

openstack::Transports CountedTransports::transports() const {
  return [network = openstack::HttpTransports(), logins = logins](
             const std::string& origin, const openstack::Tls& tls) -> absl::StatusOr<std::shared_ptr<http::Transport>> {
    ASSIGN_OR_RETURN(std::shared_ptr<http::Transport> inner, network(origin, tls));
    return std::make_shared<CountingTransport>(std::move(inner), logins);
  };
}

RealOpenStack::RealOpenStack()
    : demo_(RealCloud("demo"), openstack::HttpTransports(), SystemClock()),
      admin_(RealCloud("admin"), openstack::HttpTransports(), SystemClock()) {}

void RealOpenStack::CleanUp(openstack::Session& session, absl::string_view service, std::string path) {
  leftovers_.push_back({.session = &session, .service = std::string(service), .path = std::move(path)});
}

RealOpenStack::~RealOpenStack() {
  for (auto leftover = leftovers_.rbegin(); leftover != leftovers_.rend(); ++leftover) {
    const absl::Status deleted =
        leftover->session->Send({.service = leftover->service, .method = "DELETE", .path = leftover->path}, {}).status();
    EXPECT_TRUE(deleted.ok() || absl::IsNotFound(deleted)) << leftover->path << ": " << deleted;
  }
}

}  // namespace kupen::test
