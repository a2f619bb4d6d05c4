#include "composition-fn/tls/client_certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <vector>

#include "provider/base/status.h"

namespace kupen::tls {
namespace {

struct Free {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Certificate = std::unique_ptr<X509, Free>;

std::vector<Certificate> ReadAll(absl::string_view pem) {
  const std::unique_ptr<BIO, Free> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::vector<Certificate> certificates;
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) certificates.emplace_back(next);
  // Reading past the last one leaves an error behind, which would confuse whoever looks next.
  ERR_clear_error();
  return certificates;
}

absl::Status CheckTime(const X509* certificate, absl::Time now) {
  std::time_t at = absl::ToTimeT(now);
  if (X509_cmp_time(X509_get0_notBefore(certificate), &at) >= 0) return absl::UnauthenticatedError("is not valid yet");
  if (X509_cmp_time(X509_get0_notAfter(certificate), &at) <= 0) return absl::UnauthenticatedError("has expired");
  return absl::OkStatus();
}

bool Issued(X509* authority, X509* certificate) {
  const bool named = X509_NAME_cmp(X509_get_subject_name(authority), X509_get_issuer_name(certificate)) == 0;
  const bool signed_by = named && X509_verify(certificate, X509_get0_pubkey(authority)) == 1;
  ERR_clear_error();
  return signed_by;
}

}  // namespace

absl::Status CheckClientCertificate(absl::string_view certificate, absl::string_view authorities, absl::Time now) {
  const std::vector<Certificate> presented = ReadAll(certificate);
  if (presented.empty()) return absl::UnauthenticatedError("the client presented no certificate that can be read");
  X509* leaf = presented.front().get();

  for (const Certificate& authority : ReadAll(authorities)) {
    if (X509_check_ca(authority.get()) == 0 || !Issued(authority.get(), leaf)) continue;
    RETURN_IF_ERROR(Annotate(CheckTime(authority.get(), now), "the certificate authority"));
    RETURN_IF_ERROR(Annotate(CheckTime(leaf, now), "the client's certificate"));
    // Without the extension every use is allowed, and all bits are set.
    if ((X509_get_extended_key_usage(leaf) & XKU_SSL_CLIENT) == 0) {
      return absl::UnauthenticatedError("the client's certificate is not meant for TLS clients");
    }
    return absl::OkStatus();
  }
  return absl::UnauthenticatedError("the client's certificate was not issued by a known authority");
}

}  // namespace kupen::tls
