// Certificates for tests, as Crossplane makes them: one subject for all, no key identifiers.
#pragma once

#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace kupen::test {

struct KeyAndCertificate {
  std::string key;          // PEM
  std::string certificate;  // PEM
};

struct CertificateRequest {
  std::string common_name = "Crossplane";
  // An OpenSSL extendedKeyUsage value; empty for none.
  std::string usage = "clientAuth";
  std::string key_usage = "";
  std::string alternative_name = "";
  bool is_authority = false;
  absl::Time not_before = absl::Now() - absl::Hours(1);
  absl::Time not_after = absl::Now() + absl::Hours(1);
};

KeyAndCertificate MakeAuthority(const CertificateRequest& request = {.usage = "", .is_authority = true});
// Another certificate for the same authority's key.
KeyAndCertificate Renew(const KeyAndCertificate& authority, const CertificateRequest& request);
KeyAndCertificate Issue(const KeyAndCertificate& authority, const CertificateRequest& request = {});

}  // namespace kupen::test
