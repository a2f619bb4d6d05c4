#include "composition-fn/tls/server_credentials.h"

#include <fstream>
#include <functional>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "composition-fn/tls/certificate_checks.h"
#include "grpcpp/security/tls_certificate_provider.h"
#include "grpcpp/security/tls_certificate_verifier.h"
#include "grpcpp/security/tls_credentials_options.h"
#include "provider/base/status.h"

namespace kupen::tls {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return absl::NotFoundError(absl::StrCat(path, ": missing, empty or not readable"));
  return text.str();
}

// Asked by gRPC after each handshake, which has proven that the client holds the certificate's key.
class IssuedByOurAuthority final : public grpc::experimental::ExternalCertificateVerifier {
 public:
  explicit IssuedByOurAuthority(std::string authorities_path) : authorities_path_(std::move(authorities_path)) {}

  bool Verify(grpc::experimental::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)> /*unused*/,
              grpc::Status* sync_status) override {
    const grpc::string_ref certificate = request->peer_cert();
    const absl::Status status = Check({certificate.data(), certificate.size()});
    *sync_status =
        status.ok() ? grpc::Status::OK : grpc::Status(grpc::StatusCode::UNAUTHENTICATED, std::string(status.message()));
    return true;
  }

  void Cancel(grpc::experimental::TlsCustomVerificationCheckRequest* /*request*/) override {}

 private:
  absl::Status Check(absl::string_view certificate) const {
    ASSIGN_OR_RETURN(const std::string authorities, ReadFile(authorities_path_));
    return CheckClientCertificate(certificate, authorities, absl::Now());
  }

  const std::string authorities_path_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> ServerCredentials(const std::string& directory,
                                                                           absl::Duration look_again) {
  const std::string key = directory + "/tls.key";
  const std::string certificate = directory + "/tls.crt";
  const std::string authorities = directory + "/ca.crt";
  ASSIGN_OR_RETURN(const std::string certificate_pem, ReadFile(certificate));
  ASSIGN_OR_RETURN(const std::string key_pem, ReadFile(key));
  RETURN_IF_ERROR(Annotate(CheckKeyPair(certificate_pem, key_pem), absl::StrCat(certificate, " and ", key)));
  RETURN_IF_ERROR(ReadFile(authorities).status());

  grpc::experimental::TlsServerCredentialsOptions options(std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
      key, certificate, authorities, static_cast<unsigned>(absl::ToInt64Seconds(look_again))));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  // gRPC's own check is OpenSSL's: see certificate_checks.h.
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_BUT_DONT_VERIFY);
  options.set_certificate_verifier(grpc::experimental::ExternalCertificateVerifier::Create<IssuedByOurAuthority>(authorities));
  return grpc::experimental::TlsServerCredentials(options);
}

}  // namespace kupen::tls
