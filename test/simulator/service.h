// A simulated service: its routes, and how it words a refusal.
//
//   class Glance final : public Service {
//    public:
//     explicit Glance(World& world) : Service(world, {.type = "image", .prefix = "/image", .version = "/v2"}) {
//       On("GET", "/images/{id}", [this](Call& call) { return Show(call); });
//     }
//     Answer Refuse(int status, absl::string_view message) const override;
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "test/simulator/call.h"

namespace kupen::simulator {

struct ServiceNames {
  // By official type: "compute".
  std::string type;
  // What the service's paths begin with on our one port, and what the version adds.
  std::string prefix;
  std::string version;
  // Cinder has the project in its paths.
  bool project_in_path = false;
};

class Service {
 public:
  using RouteHandler = std::function<Answer(Call& call)>;

  Service(World& world, ServiceNames names) : world_(world), names_(std::move(names)) {}
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  const ServiceNames& names() const { return names_; }

  // What stands where the version should be; the rest of the path is empty or "/" then.
  virtual Answer Versions(const Call& call, bool below_version) = 0;
  // An error in the service's own shape.
  virtual Answer Refuse(int status, absl::string_view message) const = 0;
  // Reads the microversion; nothing if it is fine.
  virtual std::optional<Answer> CheckVersion(Call& /*call*/) const { return std::nullopt; }
  // What every answer of the service has.
  virtual void AddHeaders(const Call& /*call*/, Answer& /*answer*/) const {}
  // Paths that need no token.
  virtual bool IsPublic(const Call& /*call*/) const { return false; }

  // The route of the call's path decides.
  Answer Handle(Call& call) const;

 protected:
  // "/servers/{id}/tags"; what is in braces becomes a parameter. Of two that fit, the first counts.
  void On(absl::string_view method, absl::string_view pattern, RouteHandler handler);

  Collection& Objects(absl::string_view collection) const;
  std::string Url() const { return world_.url + names_.prefix; }

  World& world_;

 private:
  struct Route {
    std::string method;
    std::vector<std::string> segments;
    RouteHandler handler;
  };

  const ServiceNames names_;
  std::vector<Route> routes_;
};

// A page of a list, by limit and marker of the query.
struct PageRequest {
  bool newest_first = false;
  // Of the service, for those who ask for more, or for nothing.
  size_t largest = 1000;
  size_t usual = 1000;
};
struct Page {
  enum class Problem : uint8_t { kNone, kLimit, kMarker };
  Problem problem = Problem::kNone;
  std::vector<const Object*> rows = {};
  // Whether the page is as long as was asked for: there may be more.
  bool full = false;
  // Whether more rows follow.
  bool more = false;
};
Page SelectPage(const Call& call, const Collection& collection, const PageRequest& wanted,
                absl::FunctionRef<bool(const Object& row)> fits);

// The query again, with another marker.
std::string QueryWithMarker(const Call& call, absl::string_view marker);

// Writes an object's members but those that are left out.
void WriteMembers(Json& out, const rapidjson::Value& object, absl::FunctionRef<bool(absl::string_view name)> keep);

}  // namespace kupen::simulator
