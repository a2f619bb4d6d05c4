// Keys and certificates as PEM texts, parsed once and shared by all connections of a client.
//
// Thread safety: a TlsMaterial does not change after it was made.
#pragma once

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace kupen::http {

struct TlsOptions {
  // The only roots that are trusted; empty for the system's.
  std::string ca_pem = {};
  // The client's certificate, with its chain if it has one, and its key; both or neither.
  std::string certificate_pem = {};
  std::string key_pem = {};
  // Trusts any server.
  bool insecure = false;
};

class TlsMaterial {
 public:
  static absl::StatusOr<TlsMaterial> Parse(const TlsOptions& options);

  // Protocol floor, buffers given back when idle, own certificate.
  absl::Status Configure(SSL_CTX* context) const;

  // A new reference to the trusted roots. One store for all connections: 145 system roots take a megabyte each time.
  X509_STORE* SharedRoots() const;

  bool insecure() const { return insecure_; }

 private:
  struct Free {
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509_STORE* store) const { X509_STORE_free(store); }
  };
  using Certificates = std::vector<std::unique_ptr<X509, Free>>;

  static absl::StatusOr<Certificates> ParseCertificates(const std::string& pem);
  absl::Status LoadRoots(const std::string& pem);
  absl::Status LoadIdentity(const std::string& certificate_pem, const std::string& key_pem);

  std::unique_ptr<X509_STORE, Free> roots_;
  Certificates chain_;
  std::unique_ptr<EVP_PKEY, Free> key_;
  bool insecure_ = false;
};

// A "directory of roots" that holds none. cpp-httplib adds the system's roots to any store, unless it is given a place of its
// own to look: this one, known to the store beforehand, so that connecting does not change what connections share.
inline constexpr char kNoRootsHere[] = "/dev/null";

}  // namespace kupen::http
