#include "provider/http/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "provider/base/status.h"

namespace kupen::http {
namespace {

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

Bio Reader(const std::string& text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// What OpenSSL says about its last failure; empties its queue.
std::string Cause() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "no reason given" : reason;
}

// Without a password callback of our own, OpenSSL would ask the terminal.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return 0; }

}  // namespace

absl::StatusOr<TlsMaterial::Certificates> TlsMaterial::ParseCertificates(const std::string& pem) {
  const Bio reader = Reader(pem);
  Certificates certificates;
  while (X509* certificate = PEM_read_bio_X509(reader.get(), nullptr, NoPassword, nullptr))
    certificates.emplace_back(certificate);
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string cause = Cause();
  if (certificates.empty()) return absl::InvalidArgumentError("no PEM certificate in it");
  if (!at_end) return absl::InvalidArgumentError(absl::StrCat("certificate ", certificates.size() + 1, ": ", cause));
  return certificates;
}

absl::Status TlsMaterial::LoadRoots(const std::string& pem) {
  roots_.reset(X509_STORE_new());
  if (pem.empty()) {
    if (X509_STORE_set_default_paths(roots_.get()) != 1) return absl::InternalError(absl::StrCat("system roots: ", Cause()));
  } else {
    absl::StatusOr<Certificates> certificates = ParseCertificates(pem);
    if (!certificates.ok()) return Annotate(certificates.status(), "certificate authority");
    for (const auto& certificate : *certificates) X509_STORE_add_cert(roots_.get(), certificate.get());
  }
  if (X509_STORE_load_path(roots_.get(), kNoRootsHere) != 1) return absl::InternalError(Cause());
  return absl::OkStatus();
}

absl::Status TlsMaterial::LoadIdentity(const std::string& certificate_pem, const std::string& key_pem) {
  if (certificate_pem.empty() != key_pem.empty()) {
    return absl::InvalidArgumentError("a client certificate needs its key, and a key its certificate: give both or neither");
  }
  if (certificate_pem.empty()) return absl::OkStatus();
  absl::StatusOr<Certificates> chain = ParseCertificates(certificate_pem);
  if (!chain.ok()) return Annotate(chain.status(), "client certificate");
  chain_ = *std::move(chain);
  key_.reset(PEM_read_bio_PrivateKey(Reader(key_pem).get(), nullptr, NoPassword, nullptr));
  if (key_ == nullptr) return absl::InvalidArgumentError(absl::StrCat("client key: no PEM key without a password: ", Cause()));
  if (X509_check_private_key(chain_.front().get(), key_.get()) != 1) {
    return absl::InvalidArgumentError(absl::StrCat("client key and certificate don't belong together: ", Cause()));
  }
  return absl::OkStatus();
}

absl::StatusOr<TlsMaterial> TlsMaterial::Parse(const TlsOptions& options) {
  TlsMaterial material;
  material.insecure_ = options.insecure;
  RETURN_IF_ERROR(material.LoadRoots(options.ca_pem));
  RETURN_IF_ERROR(material.LoadIdentity(options.certificate_pem, options.key_pem));
  return material;
}

absl::Status TlsMaterial::Configure(SSL_CTX* context) const {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  if (key_ == nullptr) return absl::OkStatus();
  bool taken = SSL_CTX_use_certificate(context, chain_.front().get()) == 1 && SSL_CTX_use_PrivateKey(context, key_.get()) == 1;
  for (size_t i = 1; i < chain_.size() && taken; ++i) taken = SSL_CTX_add1_chain_cert(context, chain_[i].get()) == 1;
  return taken ? absl::OkStatus() : absl::InvalidArgumentError(absl::StrCat("TLS refuses the certificate: ", Cause()));
}

X509_STORE* TlsMaterial::SharedRoots() const {
  X509_STORE_up_ref(roots_.get());
  return roots_.get();
}

}  // namespace kupen::http
