// Whether a client's certificate was issued by one of our authorities.
//
// OpenSSL's own chain building refuses every certificate that Crossplane issues: it gives authority, servers and clients the
// same subject, and OpenSSL takes a certificate whose subject is its issuer for a self-signed one. Go does not, so nobody else
// noticed. Crossplane's certificates come straight from its authority, so one step of a chain is all there is to check.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace kupen::tls {

// OK if an authority signed the certificate itself, both are valid now, and the certificate is meant for TLS clients. Both
// texts are PEM; there may be several authorities. The error says what is wrong, and never holds key material.
absl::Status CheckClientCertificate(absl::string_view certificate, absl::string_view authorities, absl::Time now);

}  // namespace kupen::tls
