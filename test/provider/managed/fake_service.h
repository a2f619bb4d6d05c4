// Collections of an OpenStack service in memory: create, get, list, update, delete, and tags. For faults the test puts itself
// in between.
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "provider/http/transport.h"
#include "rapidjson/document.h"

namespace kupen::test {

class FakeService {
 public:
  // Before the service sees a request; an answer is sent instead of its own.
  using Before = std::function<std::optional<absl::StatusOr<http::Response>>(const http::Request&)>;
  // After it has done what it was asked; replaces its answer.
  using After = std::function<std::optional<absl::StatusOr<http::Response>>(const http::Request&)>;

  // How a collection differs from most: no envelopes (Glance), another member for the id (key pairs).
  struct Shape {
    bool bare = false;
    std::string id_key = "id";
  };
  void SetShape(const std::string& collection, Shape shape);
  // Members of a new object that the user does not give.
  void SetDefaults(const std::string& collection, const std::string& json);

  absl::StatusOr<http::Response> Handle(const http::Request& request);
  void set_before(Before before);
  void set_after(After after);

  // Makes an object behind everybody's back; changes one; takes one away.
  void Put(const std::string& collection, const std::string& id, const std::string& json);
  void Remove(const std::string& collection, const std::string& id);
  std::vector<std::string> Ids(const std::string& collection) const;
  rapidjson::Document Get(const std::string& collection, const std::string& id) const;

  // "POST /networks": of all requests so far, without versions and ids.
  std::vector<std::string> requests() const;
  void ForgetRequests();

 private:
  http::Response Serve(const http::Request& request);
  http::Response Create(const std::string& collection, const std::string& body);
  http::Response Wrapped(int status, const std::string& collection, const std::string& object) const;
  Shape ShapeOf(const std::string& collection) const;

  mutable std::mutex mutex_;
  Before before_;
  After after_;
  std::map<std::string, Shape> shapes_;
  std::map<std::string, std::string> defaults_;
  std::map<std::string, std::map<std::string, std::string>> objects_;
  std::vector<std::string> requests_;
  int next_ = 0;
};

}  // namespace kupen::test
