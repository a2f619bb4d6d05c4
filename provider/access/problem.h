// Why a configuration cannot be used: an error together with the one word that its Ready condition gives as the reason.
//
//   return Because("SecretNotFound", absl::NotFoundError("Secret team-a/cloud does not exist"));
//   condition.reason = ReasonOf(status);
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace kupen::access {

inline constexpr absl::string_view kInvalidSpec = "InvalidSpec";
inline constexpr absl::string_view kSecretNotFound = "SecretNotFound";
inline constexpr absl::string_view kInvalidCredentials = "InvalidCredentials";
inline constexpr absl::string_view kAuthenticationFailed = "AuthenticationFailed";
inline constexpr absl::string_view kUnreachable = "Unreachable";
// An address that the provider may not call, such as the node's own.
inline constexpr absl::string_view kAddressRefused = "AddressRefused";
inline constexpr absl::string_view kNoSuchRegion = "NoSuchRegion";
inline constexpr absl::string_view kMissingRight = "MissingRight";
inline constexpr absl::string_view kBeingDeleted = "BeingDeleted";

// The same error with a reason, which survives Annotate(). An OK status stays OK.
absl::Status Because(absl::string_view reason, absl::Status status);

// "Unknown" if the error has none.
std::string ReasonOf(const absl::Status& status);

}  // namespace kupen::access
