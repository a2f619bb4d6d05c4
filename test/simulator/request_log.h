// Counts requests, as the access logs of a real cloud would let one do.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/string_view.h"

namespace kupen::simulator {

// Requests that look the same: ids in their paths are "{id}".
struct RequestCount {
  std::string agent;
  std::string service;
  std::string method;
  std::string path;
  // The names of the query's parameters, in order: "limit,marker".
  std::string query;
  int status = 0;
  int count = 0;
};

class RequestLog {
 public:
  void Note(absl::string_view agent, absl::string_view service, absl::string_view method, absl::string_view path,
            absl::string_view query, int status);
  void Reset() { counts_.clear(); }

  std::vector<RequestCount> Counts() const;
  // {"requests": [{"agent", "service", "method", "path", "query", "status", "count"}, …]}
  std::string Write() const;

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, int>;
  std::map<Key, int> counts_;
};

}  // namespace kupen::simulator
