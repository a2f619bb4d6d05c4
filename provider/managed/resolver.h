// Turns references, selectors and names in an object's parameters into ids of the cloud.
//
//   Resolver resolver(kinds, objects, waiters);
//   ASSIGN_OR_RETURN(const std::vector<Resolved> references,
//                    resolver.Resolve({.self = key, .object = object, .plan = kind.plan.parameters, …}, parameters,
//                    allocator));
//   // {"networkRef": {"name": "blue"}}  →  {"networkRef": {…}, "networkID": "5f1c…"}
//
// What was resolved once stays (status.references) until the user writes something else, such as another name or another
// selector, unless the reference's policy says resolve: Always. Nothing is ever written to the spec.
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apis/model/kinds.h"
#include "provider/managed/objects.h"
#include "provider/managed/waiters.h"
#include "provider/openstack/session.h"
#include "provider/schema/references.h"

namespace kupen::managed {

// One line of status.references.
struct Resolved {
  // networkID, or networks[0].networkID.
  std::string field;
  // The name of the object that it led to.
  std::string object;
  std::string id;
  // What the user had written: networkRef, networkName, or networkSelector and a digest of it.
  std::string by = "";

  friend auto operator<=>(const Resolved&, const Resolved&) = default;
};

struct ResolveRequest {
  runtime::Key self;
  // The object in Kubernetes.
  const rapidjson::Value& object;
  const schema::MessagePlan& plan;
  // What was resolved before.
  const std::vector<Resolved>& known;
  openstack::Session& session;
  const std::stop_token& stop;
};

class Resolver {
 public:
  // All must outlive this.
  Resolver(const apis::Kinds& kinds, const Objects& objects, Waiters& waiters)
      : kinds_(kinds), objects_(objects), waiters_(waiters) {}

  // Gives the parameters the ids. What something still has to be awaited for is FAILED_PRECONDITION: the message says what, and
  // a change of that object wakes us.
  absl::StatusOr<std::vector<Resolved>> Resolve(const ResolveRequest& request, rapidjson::Value& parameters,
                                                schema::Allocator& allocator) const;

 private:
  absl::StatusOr<std::vector<Resolved>> ResolveUse(const ResolveRequest& request, const schema::ReferenceUse& use) const;
  absl::StatusOr<std::vector<Resolved>> ResolveSelector(const ResolveRequest& request, const schema::ReferenceUse& use,
                                                        const std::string& field) const;
  absl::StatusOr<std::string> IdOfObject(const ResolveRequest& request, const std::string& kind, const std::string& name) const;
  absl::StatusOr<std::string> IdOfName(const ResolveRequest& request, const schema::ReferenceUse& use,
                                       const std::string& name) const;

  const apis::Kinds& kinds_;
  const Objects& objects_;
  Waiters& waiters_;
};

// status.references of an object.
std::vector<Resolved> ResolvedBefore(const rapidjson::Value& object);

}  // namespace kupen::managed
