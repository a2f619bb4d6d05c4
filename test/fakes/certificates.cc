#include "test/fakes/certificates.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

namespace kupen::test {
namespace {

struct Free {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Certificate = std::unique_ptr<X509, Free>;

std::string Text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

std::string Pem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return Text(bio.get());
}

std::string Pem(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return Text(bio.get());
}

Bio Reader(const std::string& text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

void AddExtension(X509* certificate, int kind, const std::string& value) {
  if (value.empty()) return;
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate Unsigned(const CertificateRequest& request, EVP_PKEY* key) {
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 2022);
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), absl::ToTimeT(request.not_before));
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), absl::ToTimeT(request.not_after));
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(request.common_name.c_str()), -1, -1, 0);
  AddExtension(certificate.get(), NID_basic_constraints, request.is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  AddExtension(certificate.get(), NID_key_usage, request.key_usage);
  AddExtension(certificate.get(), NID_ext_key_usage, request.usage);
  AddExtension(certificate.get(), NID_subject_alt_name, request.alternative_name);
  return certificate;
}

Key ReadKey(const KeyAndCertificate& owner) {
  return Key(PEM_read_bio_PrivateKey(Reader(owner.key).get(), nullptr, nullptr, nullptr));
}

KeyAndCertificate SelfSigned(const CertificateRequest& request, const Key& key) {
  const Certificate certificate = Unsigned(request, key.get());
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  return {.key = Pem(key.get()), .certificate = Pem(certificate.get())};
}

}  // namespace

KeyAndCertificate MakeAuthority(const CertificateRequest& request) { return SelfSigned(request, Key(EVP_EC_gen("P-256"))); }

KeyAndCertificate Renew(const KeyAndCertificate& authority, const CertificateRequest& request) {
  return SelfSigned(request, ReadKey(authority));
}

KeyAndCertificate Issue(const KeyAndCertificate& authority, const CertificateRequest& request) {
  const Key authority_key = ReadKey(authority);
  const Certificate issuer(PEM_read_bio_X509(Reader(authority.certificate).get(), nullptr, nullptr, nullptr));
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = Unsigned(request, key.get());
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
  X509_sign(certificate.get(), authority_key.get(), EVP_sha256());
  return {.key = Pem(key.get()), .certificate = Pem(certificate.get())};
}

}  // namespace kupen::test
