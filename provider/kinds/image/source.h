// Reads what a user's URL leads to, piece by piece and never as a whole.
//
// Follows up to five redirects; each of the addresses has to be allowed. Errors name the URL without its query, which may be a
// secret.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "provider/http/address_rules.h"
#include "provider/http/tls.h"
#include "provider/http/transport.h"

namespace kupen::kinds {

struct SourceOptions {
  // Null for any.
  std::shared_ptr<const http::AddressRules> allowed = nullptr;
  // Of https; the system's roots unless told otherwise.
  http::TlsOptions tls = {};
  // For each wait for more.
  absl::Duration patience = absl::Minutes(2);
};

// Calls on_start once the data is about to come. OK: it came to its end, or on_data wanted no more of it.
absl::Status ReadSource(const std::string& url, const SourceOptions& options, const std::function<void()>& on_start,
                        const http::BodySink& on_data, const std::stop_token& stop);

// For messages.
std::string WithoutQuery(const std::string& url);

}  // namespace kupen::kinds
