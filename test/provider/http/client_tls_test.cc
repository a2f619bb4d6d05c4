#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/client.h"
#include "provider/http/server.h"
#include "test/fakes/certificates.h"

namespace kupen::http {
namespace {

using test::Issue;
using test::KeyAndCertificate;
using test::MakeAuthority;
using testing::HasSubstr;

class ClientTlsTest : public testing::Test {
 protected:
  void Serve(const std::string& alternative_name, const std::string& client_ca = "") {
    const KeyAndCertificate identity =
        Issue(authority_, {.common_name = "server", .usage = "serverAuth", .alternative_name = alternative_name});
    auto server = Server::Start({.routes = {{"/", [](const Request&) { return Response{.status = 200, .body = "ok"}; }}},
                                 .certificate_pem = identity.certificate,
                                 .key_pem = identity.key,
                                 .client_ca_pem = client_ca});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  absl::StatusOr<Response> Get(const TlsOptions& tls, const std::string& host = "127.0.0.1") {
    auto client = Client::Create({.base_url = absl::StrCat("https://", host, ":", server_->port()), .tls = tls});
    if (!client.ok()) return client.status();
    return (*client)->Send({.target = "/"}, {});
  }

  const KeyAndCertificate authority_ = MakeAuthority();
  std::unique_ptr<Server> server_;
};

TEST_F(ClientTlsTest, TrustsThePinnedAuthority) {
  Serve("IP:127.0.0.1");
  const auto response = Get({.ca_pem = authority_.certificate});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "ok");
}

TEST_F(ClientTlsTest, ReusesItsConnection) {
  Serve("DNS:localhost");
  auto client = Client::Create(
      {.base_url = absl::StrCat("https://localhost:", server_->port()), .tls = {.ca_pem = authority_.certificate}});
  ASSERT_TRUE(client.ok()) << client.status();
  // Each waits for a free thread of the server: more than it has would hang if connections were not used again.
  for (int i = 0; i < 20; ++i) {
    const auto response = (*client)->Send({.target = "/"}, {});
    ASSERT_TRUE(response.ok()) << response.status();
  }
}

TEST_F(ClientTlsTest, RefusesAnotherAuthority) {
  Serve("IP:127.0.0.1");
  const auto response = Get({.ca_pem = MakeAuthority({.common_name = "Other", .usage = "", .is_authority = true}).certificate});
  EXPECT_TRUE(absl::IsUnavailable(response.status()));
  EXPECT_THAT(response.status().message(), HasSubstr("certificate is not trusted: "));
  EXPECT_TRUE(NeverSent(response.status()));
}

TEST_F(ClientTlsTest, TheSystemsRootsDoNotKnowOurs) {
  Serve("IP:127.0.0.1");
  EXPECT_THAT(Get({}).status().message(), HasSubstr("certificate is not trusted: "));
}

TEST_F(ClientTlsTest, ChecksTheName) {
  Serve("DNS:elsewhere.example,IP:127.0.0.2");
  const auto response = Get({.ca_pem = authority_.certificate});
  EXPECT_THAT(response.status().message(), HasSubstr("certificate is not for 127.0.0.1"));
  EXPECT_TRUE(Get({.insecure = true}).ok());
}

TEST_F(ClientTlsTest, ShowsItsCertificate) {
  Serve("IP:127.0.0.1", authority_.certificate);
  const KeyAndCertificate mine = Issue(authority_, {.common_name = "client"});
  const auto with = Get({.ca_pem = authority_.certificate, .certificate_pem = mine.certificate, .key_pem = mine.key});
  EXPECT_TRUE(with.ok()) << with.status();
  const auto without = Get({.ca_pem = authority_.certificate});
  EXPECT_TRUE(absl::IsUnavailable(without.status())) << without.status();
}

TEST_F(ClientTlsTest, RefusesAKeyOfAnotherCertificate) {
  Serve("IP:127.0.0.1");
  const auto response = Get({.certificate_pem = Issue(authority_).certificate, .key_pem = Issue(authority_).key});
  EXPECT_THAT(response.status().message(), HasSubstr("don't belong together"));
}

}  // namespace
}  // namespace kupen::http
