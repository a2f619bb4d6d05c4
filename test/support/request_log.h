// Who asked OpenStack for what, from its access logs.
//
//   const RequestLog log;                                                      // from here on
//   …
//   log.Count({.user = "demo", .method = "POST", .path_end = "/networks"})     // requests of the provider
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"

namespace kupen::test {

class RequestLog {
 public:
  // What is empty is not looked at.
  struct Filter {
    // As whom the provider came. Logins are nobody's.
    std::string user = "";
    std::string method = "";
    std::string path_end = "";
  };

  RequestLog();

  absl::StatusOr<int> Count(const Filter& filter) const;

 private:
  // Where each log ended.
  std::map<std::string, std::int64_t> begins_;
};

}  // namespace kupen::test
