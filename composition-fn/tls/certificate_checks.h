// Checks on certificates that TLS itself does not make for us.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace kupen::tls {

// Whether a client's certificate was issued by one of our authorities: OK if an authority signed it itself, both are valid now,
// and it is meant for TLS clients. Both texts are PEM; there may be several authorities. The error says what is wrong.
//
// OpenSSL's own chain building refuses every certificate that Crossplane issues: it gives authority, servers and clients the
// same subject, and OpenSSL takes a certificate whose subject is its issuer for a self-signed one. Go does not, so nobody else
// noticed. Crossplane's certificates come straight from its authority, so one step of a chain is all there is to check.
absl::Status CheckClientCertificate(absl::string_view certificate, absl::string_view authorities, absl::Time now);

// Whether both can be read, and the key is the certificate's: else a server starts and then fails every handshake.
absl::Status CheckKeyPair(absl::string_view certificate, absl::string_view key);

}  // namespace kupen::tls
