// Who wrote what to the API server, from its audit log.
//
//   const AuditLog log;                                            // from here on
//   …
//   log.Writes("system:serviceaccount:crossplane-system:", ns)     // {"networks/blue": 2, "networks/status/blue": 1, …}
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kupen::test {

class AuditLog {
 public:
  AuditLog();

  // Successful writes in a namespace of users whose name starts so, by resource (with its subresource) and name. An event goes
  // by the name of what it is about, as far as its own name tells.
  absl::StatusOr<std::map<std::string, int>> Writes(absl::string_view user, absl::string_view ns) const;

 private:
  std::string path_;
  std::int64_t begin_ = 0;
};

}  // namespace kupen::test
