// A client that may only reach some addresses.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/client.h"
#include "provider/http/server.h"
#include "test/fakes/certificates.h"

namespace kupen::http {
namespace {

using ::testing::HasSubstr;

// A host that no name server knows, and its port.
std::string Url(absl::string_view scheme, const Server& server) {
  return absl::StrCat(scheme, "://images.invalid:", server.port());
}

// With a certificate it speaks TLS.
std::unique_ptr<Server> Serve(const test::KeyAndCertificate& identity = {}) {
  const auto answer = [](const Request& request) {
    return Response{.status = 200, .body = absl::StrCat("for ", Find(request.headers, "Host"))};
  };
  auto server = Server::Start({.routes = {{"/", answer}}, .certificate_pem = identity.certificate, .key_pem = identity.key});
  EXPECT_TRUE(server.ok()) << server.status();
  return *std::move(server);
}

// What the name means, one address list per look-up; the last for all that follow.
struct Names {
  std::vector<std::vector<std::string>> answers;
  size_t lookups = 0;
};

std::unique_ptr<Client> NewClient(const std::string& url, Names& names, std::vector<std::string> allowed, TlsOptions tls = {}) {
  const auto lookup = [&names](const std::string&) -> absl::StatusOr<std::vector<std::string>> {
    return names.answers[std::min(names.lookups++, names.answers.size() - 1)];
  };
  auto rules = AddressRules::Create({.allowed = std::move(allowed), .lookup = lookup});
  EXPECT_TRUE(rules.ok()) << rules.status();
  auto client = Client::Create(
      {.base_url = url, .tls = std::move(tls), .allowed = std::make_shared<const AddressRules>(*std::move(rules))});
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

TEST(ClientAddresses, ConnectsToTheAddressThatWasChecked) {
  const auto server = Serve();
  Names names{.answers = {{"127.0.0.1"}}};
  const auto client = NewClient(Url("http", *server), names, {"127.0.0.1"});
  for (int i = 0; i < 3; ++i) {
    const auto response = client->Send({.target = "/"}, {});
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->body, absl::StrCat("for images.invalid:", server->port()));
  }
  EXPECT_EQ(names.lookups, 1U) << "once for each connection";
}

TEST(ClientAddresses, TheCertificateIsStillThatOfTheName) {
  const test::KeyAndCertificate ca = test::MakeAuthority();
  const auto certificate = [&ca](const std::string& name) {
    return test::Issue(ca, {.common_name = name, .usage = "serverAuth", .alternative_name = absl::StrCat("DNS:", name)});
  };
  Names names{.answers = {{"127.0.0.1"}}};
  const test::KeyAndCertificate good = certificate("images.invalid");
  const auto server = Serve(good);
  const auto response =
      NewClient(Url("https", *server), names, {"127.0.0.1"}, {.ca_pem = ca.certificate})->Send({.target = "/"}, {});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 200);

  const test::KeyAndCertificate other = certificate("other.invalid");
  const auto impostor = Serve(other);
  EXPECT_THAT(NewClient(Url("https", *impostor), names, {"127.0.0.1"}, {.ca_pem = ca.certificate})
                  ->Send({.target = "/"}, {})
                  .status()
                  .message(),
              HasSubstr("the server's certificate is not for images.invalid"));
}

TEST(ClientAddresses, RefusesWithoutConnecting) {
  const auto server = Serve();
  Names names{.answers = {{"127.0.0.1"}}};
  const auto response = NewClient(Url("http", *server), names, {})->Send({.target = "/"}, {});
  EXPECT_TRUE(absl::IsPermissionDenied(response.status())) << response.status();
  EXPECT_TRUE(NeverSent(response.status()));
  EXPECT_THAT(response.status().message(), HasSubstr("--allow-address=127.0.0.0/8"));
}

TEST(ClientAddresses, ChecksAgainForEachConnection) {
  auto server = Serve();
  Names names{.answers = {{"127.0.0.1"}, {"127.0.0.2"}}};
  const auto client = NewClient(Url("http", *server), names, {"127.0.0.1"});
  ASSERT_TRUE(client->Send({.target = "/"}, {}).ok());
  server.reset();
  const auto response = client->Send({.target = "/"}, {});
  EXPECT_TRUE(absl::IsPermissionDenied(response.status())) << response.status();
}

TEST(ClientAddresses, TriesTheNextAddressIfOneDoesNotAnswer) {
  const auto server = Serve();
  Names names{.answers = {{"127.0.0.2", "127.0.0.1"}}};
  const auto response = NewClient(Url("http", *server), names, {"127.0.0.0/8"})->Send({.target = "/"}, {});
  ASSERT_TRUE(response.ok()) << response.status();
  Names nowhere{.answers = {{"127.0.0.2", "127.0.0.3"}}};
  EXPECT_THAT(NewClient(Url("http", *server), nowhere, {"127.0.0.0/8"})->Send({.target = "/"}, {}).status().message(),
              HasSubstr("connection refused"));
}

}  // namespace
}  // namespace kupen::http
