#include "composition-fn/tls/certificate_checks.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/fakes/certificates.h"

namespace kupen::tls {
namespace {

using test::Issue;
using test::KeyAndCertificate;
using test::MakeAuthority;
using test::Renew;
using ::testing::HasSubstr;

class ClientCertificate : public testing::Test {
 protected:
  absl::Status Check(const test::CertificateRequest& request, absl::Time now = absl::Now()) const {
    return CheckClientCertificate(Issue(authority_, request).certificate, authority_.certificate, now);
  }

  const KeyAndCertificate authority_ = MakeAuthority();
};

void ExpectRefused(const absl::Status& status, const std::string& reason) {
  EXPECT_EQ(status.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(std::string(status.message()), HasSubstr(reason));
}

TEST_F(ClientCertificate, WithItsIssuersOwnSubjectIsTrusted) {
  const absl::Status status = Check({.common_name = "Crossplane"});
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(ClientCertificate, OfAnyUseIsTrusted) { EXPECT_TRUE(Check({.usage = ""}).ok()); }

TEST_F(ClientCertificate, OfAnotherAuthorityIsRefused) {
  // The impostor has the same name: only its key differs.
  const KeyAndCertificate impostor = MakeAuthority();
  ExpectRefused(CheckClientCertificate(Issue(impostor).certificate, authority_.certificate, absl::Now()), "not issued by");
}

TEST_F(ClientCertificate, FoundAmongSeveralAuthorities) {
  const std::string bundle = absl::StrCat(MakeAuthority().certificate, authority_.certificate);
  EXPECT_TRUE(CheckClientCertificate(Issue(authority_).certificate, bundle, absl::Now()).ok());
}

TEST_F(ClientCertificate, IssuedByALeafIsRefused) {
  const KeyAndCertificate leaf = Issue(authority_);
  const std::string bundle = absl::StrCat(authority_.certificate, leaf.certificate);
  ExpectRefused(CheckClientCertificate(Issue(leaf).certificate, bundle, absl::Now()), "not issued by");
}

TEST_F(ClientCertificate, ExpiredOrEarlyIsRefused) {
  ExpectRefused(Check({.not_after = absl::Now() - absl::Minutes(1)}), "the client's certificate: has expired");
  ExpectRefused(Check({.not_before = absl::Now() + absl::Minutes(1)}), "the client's certificate: is not valid yet");
}

TEST_F(ClientCertificate, OfAnExpiredAuthorityIsRefused) {
  ExpectRefused(Check({.not_after = absl::Now() + absl::Hours(9)}, absl::Now() + absl::Hours(5)),
                "the certificate authority: has expired");
}

TEST_F(ClientCertificate, OfARenewedAuthorityIsTrustedBesideTheExpiredOne) {
  const KeyAndCertificate renewed =
      Renew(authority_, {.usage = "", .is_authority = true, .not_after = absl::Now() + absl::Hours(9)});
  const std::string bundle = absl::StrCat(authority_.certificate, renewed.certificate);
  const std::string leaf = Issue(authority_, {.not_after = absl::Now() + absl::Hours(9)}).certificate;
  const absl::Status status = CheckClientCertificate(leaf, bundle, absl::Now() + absl::Hours(5));
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(ClientCertificate, ForOtherKeyUsesIsRefused) {
  ExpectRefused(Check({.key_usage = "critical,keyEncipherment"}), "not meant for TLS clients");
  EXPECT_TRUE(Check({.key_usage = "critical,digitalSignature,keyEncipherment,dataEncipherment"}).ok());
}

TEST_F(ClientCertificate, ForServersIsRefused) { ExpectRefused(Check({.usage = "serverAuth"}), "not meant for TLS clients"); }

TEST_F(ClientCertificate, ThatIsNoneIsRefused) {
  ExpectRefused(CheckClientCertificate("", authority_.certificate, absl::Now()), "no certificate");
  ExpectRefused(CheckClientCertificate("no PEM", authority_.certificate, absl::Now()), "no certificate");
  ExpectRefused(CheckClientCertificate(Issue(authority_).certificate, "", absl::Now()), "not issued by");
}

TEST(KeyPair, MustBelongTogether) {
  const KeyAndCertificate authority = MakeAuthority();
  const KeyAndCertificate one = Issue(authority);
  const KeyAndCertificate other = Issue(authority);
  EXPECT_TRUE(CheckKeyPair(one.certificate, one.key).ok());
  EXPECT_EQ(CheckKeyPair(one.certificate, other.key).message(), "the key does not belong to the certificate");
  EXPECT_EQ(CheckKeyPair("cut off", one.key).message(), "the certificate is not PEM");
  EXPECT_EQ(CheckKeyPair(one.certificate, "cut off").message(), "the key is not PEM");
}

}  // namespace
}  // namespace kupen::tls
