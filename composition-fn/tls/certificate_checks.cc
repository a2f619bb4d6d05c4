#include "composition-fn/tls/certificate_checks.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
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
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Certificate = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Bio = std::unique_ptr<BIO, Free>;

Bio Reader(absl::string_view pem) { return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

std::vector<Certificate> ReadCertificates(absl::string_view pem) {
  const Bio bio = Reader(pem);
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

absl::Status CheckUse(X509* certificate) {
  if ((X509_get_extension_flags(certificate) & (EXFLAG_INVALID | EXFLAG_CRITICAL)) != 0) {
    return absl::UnauthenticatedError("has extensions that cannot be understood");
  }
  // Without the extensions every use is allowed, and all bits are set.
  if ((X509_get_key_usage(certificate) & KU_DIGITAL_SIGNATURE) == 0 ||
      (X509_get_extended_key_usage(certificate) & (XKU_SSL_CLIENT | XKU_ANYEKU)) == 0) {
    return absl::UnauthenticatedError("is not meant for TLS clients");
  }
  return absl::OkStatus();
}

bool Issued(X509* authority, X509* certificate) {
  // 1: the extension says so. Older ways to be an authority give other numbers, and are none to us.
  const bool issuer = X509_check_ca(authority) == 1 &&
                      X509_NAME_cmp(X509_get_subject_name(authority), X509_get_issuer_name(certificate)) == 0 &&
                      X509_verify(certificate, X509_get0_pubkey(authority)) == 1;
  ERR_clear_error();
  return issuer;
}

}  // namespace

absl::Status CheckClientCertificate(absl::string_view certificate, absl::string_view authorities, absl::Time now) {
  const std::vector<Certificate> presented = ReadCertificates(certificate);
  if (presented.empty()) return absl::UnauthenticatedError("the client presented no certificate that can be read");
  X509* leaf = presented.front().get();

  absl::Status refusal = absl::UnauthenticatedError("the client's certificate was not issued by a known authority");
  for (const Certificate& authority : ReadCertificates(authorities)) {
    if (!Issued(authority.get(), leaf)) continue;
    // An expired authority may have a renewed twin with the same key further on.
    refusal = Annotate(CheckTime(authority.get(), now), "the certificate authority");
    if (!refusal.ok()) continue;
    RETURN_IF_ERROR(Annotate(CheckTime(leaf, now), "the client's certificate"));
    return Annotate(CheckUse(leaf), "the client's certificate");
  }
  return refusal;
}

absl::Status CheckKeyPair(absl::string_view certificate, absl::string_view key) {
  const std::vector<Certificate> certificates = ReadCertificates(certificate);
  if (certificates.empty()) return absl::InvalidArgumentError("the certificate is not PEM");
  const Key read(PEM_read_bio_PrivateKey(Reader(key).get(), nullptr, nullptr, nullptr));
  const bool match = read != nullptr && X509_check_private_key(certificates.front().get(), read.get()) == 1;
  ERR_clear_error();
  if (read == nullptr) return absl::InvalidArgumentError("the key is not PEM");
  return match ? absl::OkStatus() : absl::InvalidArgumentError("the key does not belong to the certificate");
}

}  // namespace kupen::tls
