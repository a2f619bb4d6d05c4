// What a kind does that its .proto cannot say. Most kinds have no hooks.
//
//   class VirtualMachineHooks final : public managed::Hooks { … };
//   reconciler.SetHooks("compute.VirtualMachine", std::make_unique<VirtualMachineHooks>());
//
// Hooks see the parameters with all references resolved to ids (networks[0].networkID) and the object as the service has it.
//
// Thread safety: all methods are called from many threads at once, never twice at once for one object.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/kube/resource.h"
#include "provider/openstack/session.h"
#include "provider/schema/codec.h"
#include "rapidjson/document.h"

namespace kupen::managed {

// What a hook may use. Lives as long as the call.
struct HookContext {
  // May be kept after the call, for work that goes on in another thread.
  std::shared_ptr<openstack::Session> session;
  // The object in Kubernetes.
  const kube::ObjectKey& key;
  const std::string& uid;
  // For ServiceRequest.operation_id.
  const std::string& operation_id;
  // A value of a Secret in the object's namespace, decoded. The error says which Secret or key is missing.
  const std::function<absl::StatusOr<std::string>(const std::string& secret, const std::string& key)>& read_secret;
  // Reconciles the object again; for work that ends in another thread. May be kept after the call.
  const std::function<void()>& wake;
  const std::stop_token& stop;
};

// The POST that creates an object.
struct CreateRequest {
  // What is inside the envelope; the plan has put in what it knows.
  rapidjson::Value object;
  // What is beside the envelope: {"os:scheduler_hints": {…}}. An object, empty if there is nothing.
  rapidjson::Value beside;
  // What in it must not come back to light in an error.
  std::vector<std::string> secrets;
};

// A difference that the plan cannot see, in terms of the service's object.
struct HookChange {
  // The member of the object that has to change, and to what; null removes it.
  std::string member;
  rapidjson::Value wanted;
  // For people: "properties.hw_disk_bus: ide → virtio".
  std::string text;
};

class Hooks {
 public:
  virtual ~Hooks() = default;

  // Whether the mirror has to keep all members of the service's objects, not only those of the plan and of Fields().
  virtual bool KeepsAllFields() const { return false; }
  // Members of the service's object that the methods below look at and that the plan does not name.
  virtual std::vector<std::string> Fields() const { return {}; }

  // Adds to the request what the plan cannot say. An error of the parameters is INVALID_ARGUMENT and names the field.
  virtual absl::Status PrepareCreate(const HookContext& /*context*/, const rapidjson::Value& /*parameters*/,
                                     CreateRequest& /*request*/, schema::Allocator& /*allocator*/) const {
    return absl::OkStatus();
  }

  // The object exists, but is neither ready nor failed. Does, or starts, what it needs to become ready (an image's data).
  // Called again and again: what is under way must not be started twice. An error is shown to the user and tried again.
  virtual absl::Status Advance(const HookContext& /*context*/, const std::string& /*id*/,
                               const rapidjson::Value& /*parameters*/, const rapidjson::Value& /*object*/) {
    return absl::OkStatus();
  }

  // Adds to status.atProvider what the plan cannot say.
  virtual void Observe(const rapidjson::Value& /*object*/, rapidjson::Value& /*observation*/,
                       schema::Allocator& /*allocator*/) const {}

  // What differs in the fields with `wire: "-"` that can be changed in place. Those that cannot (immutable, replaces) are
  // remembered by the reconciler.
  virtual std::vector<HookChange> Diff(const rapidjson::Value& /*parameters*/, const rapidjson::Value& /*object*/,
                                       schema::Allocator& /*allocator*/) const {
    return {};
  }

  // The address by which to reach the object, for status.federation; empty if it has none.
  virtual std::string Address(const rapidjson::Value& /*object*/) const { return ""; }
};

}  // namespace kupen::managed
