// Mutual TLS for a composition function, with the certificates that Crossplane mounts into its pod.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpcpp/security/server_credentials.h"

namespace kupen::tls {

// Reads tls.crt, tls.key and ca.crt in the directory, and looks again for new ones now and then: new connections use the new
// files. Every client must present a certificate that ca.crt issued. The error names the file that is missing or wrong.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> ServerCredentials(const std::string& directory,
                                                                           absl::Duration look_again = absl::Seconds(30));

}  // namespace kupen::tls
