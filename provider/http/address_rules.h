// Which addresses may be connected to when somebody else chose the URL: a tenant's URL must not reach what only this process
// can reach (itself, a cloud's metadata service, the cluster's own network).
//
//   ASSIGN_OR_RETURN(const AddressRules rules, AddressRules::Create({.allowed = {"127.0.0.0/8"}, .denied = {"10.96.0.0/12"}}));
//   Client::Create({.base_url = url, .allowed = std::make_shared<const AddressRules>(rules)})
//
// Never reached, unless allowed: loopback, link-local, unspecified, multicast and reserved addresses, also when they are
// written as IPv6 addresses. A client connects to the very address that was checked, so it does not help to let a name mean
// another address when it is looked up again.
//
// Thread safety: immutable.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kupen::http {

// A range of addresses. All are kept as IPv6, those of IPv4 in their mapped form (::ffff:10.0.0.1).
struct AddressRange {
  using Bytes = std::array<uint8_t, 16>;

  // "10.96.0.0/12", "fd00::/8", or one address.
  static absl::StatusOr<AddressRange> Parse(absl::string_view text);
  bool Contains(const Bytes& address) const;

  // As it was given.
  std::string text;
  Bytes first = {};
  int prefix = 0;
};

// The numeric addresses of a host, in the order in which to try them.
using AddressLookup = std::function<absl::StatusOr<std::vector<std::string>>(const std::string& host)>;
absl::StatusOr<std::vector<std::string>> LookUpAddresses(const std::string& host);

struct AddressRulesOptions {
  // Ranges, by the flags --allow-address and --deny-address. What is allowed is not denied.
  std::vector<std::string> allowed = {};
  std::vector<std::string> denied = {};
  AddressLookup lookup = LookUpAddresses;
};

class AddressRules {
 public:
  static absl::StatusOr<AddressRules> Create(const AddressRulesOptions& options);

  // Whether a numeric address of the host may be connected to. PERMISSION_DENIED names both, the rule, and the flag that would
  // allow it.
  absl::Status Check(absl::string_view host, absl::string_view address) const;

  // The addresses of the host that may be connected to; if there are none, what Check() says of the first.
  absl::StatusOr<std::vector<std::string>> Resolve(const std::string& host) const;

 private:
  struct Denied {
    AddressRange range;
    // "is link-local".
    std::string why;
  };

  AddressLookup lookup_;
  std::vector<AddressRange> allowed_;
  std::vector<Denied> denied_;
};

}  // namespace kupen::http
