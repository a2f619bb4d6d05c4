#include "test/simulator/user_of_simulator.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "provider/http/client.h"
#include "provider/json/json.h"

namespace kupen::simulator {
namespace {

std::unique_ptr<http::Transport> TransportTo(const std::string& url) {
  absl::StatusOr<std::unique_ptr<http::Client>> client = http::Client::Create({.base_url = url, .user_agent = "test"});
  EXPECT_TRUE(client.ok()) << client.status();
  return client.ok() ? *std::move(client) : nullptr;
}

std::string IdIn(const http::Response& response, absl::string_view envelope) {
  const absl::StatusOr<rapidjson::Document> body = json::Parse(response.body);
  EXPECT_TRUE(body.ok() && response.status < 300) << response.status << " " << response.body;
  return body.ok() ? std::string(json::String(*body, {envelope, "id"})) : "";
}

}  // namespace

UserOfSimulator::UserOfSimulator(const Simulator& simulator, std::string name)
    : name_(std::move(name)), transport_(TransportTo(simulator.url())) {
  LogIn();
}

void UserOfSimulator::LogIn() {
  const std::string body = absl::StrCat(
      R"({"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": ")", name_, R"(", "password": ")", name_,
      R"(", "domain": {"id": "default"}}}}, "scope": {"project": {"name": ")", name_, R"(", "domain": {"id": "default"}}}}})");
  const http::Response response = Send("POST", "/identity/v3/auth/tokens", body);
  token_ = std::string(http::Find(response.headers, "X-Subject-Token"));
  EXPECT_NE(token_, "") << response.status << " " << response.body;
}

absl::StatusOr<http::Response> UserOfSimulator::Try(const std::string& method, const std::string& target,
                                                    const std::string& body, const http::Headers& headers) const {
  http::Request request = {.method = method, .target = target, .headers = headers, .body = body};
  if (absl::EndsWith(target, "/file")) request.content_type = "application/octet-stream";
  request.headers.emplace_back("X-Auth-Token", token_);
  return transport_->Send(request, {});
}

http::Response UserOfSimulator::Send(const std::string& method, const std::string& target, const std::string& body,
                                     const http::Headers& headers) const {
  absl::StatusOr<http::Response> response = Try(method, target, body, headers);
  EXPECT_TRUE(response.ok()) << response.status();
  return response.ok() ? *std::move(response) : http::Response();
}

rapidjson::Document UserOfSimulator::Get(const std::string& target, const http::Headers& headers) const {
  const http::Response response = Send("GET", target, "", headers);
  EXPECT_EQ(response.status, 200) << target << ": " << response.body;
  absl::StatusOr<rapidjson::Document> body = json::Parse(response.body);
  EXPECT_TRUE(body.ok()) << body.status();
  return body.ok() ? *std::move(body) : rapidjson::Document();
}

std::string UserOfSimulator::MakeNetwork(absl::string_view name) const {
  const std::string body = absl::StrCat(R"({"network": {"name": ")", name, R"("}})");
  return IdIn(Send("POST", "/network/v2.0/networks", body), "network");
}

std::string UserOfSimulator::MakeServer(absl::string_view name) const {
  const rapidjson::Document flavors = Get("/compute/v2.1/flavors");
  const rapidjson::Document images = Get("/image/v2/images");
  const std::string body = absl::StrCat(R"({"server": {"name": ")", name, R"(", "networks": "none", "flavorRef": ")",
                                        json::String(json::Array(flavors, {"flavors"})[0], {"id"}), R"(", "imageRef": ")",
                                        json::String(json::Array(images, {"images"})[0], {"id"}), R"("}})");
  return IdIn(Send("POST", "/compute/v2.1/servers", body, kNova), "server");
}

}  // namespace kupen::simulator
