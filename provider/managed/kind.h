// What the reconciler needs to know about a kind, made once from its descriptor.
//
//   const ManagedKind kind(*apis::Registry().Find("network.Network"));
//   Rest networks(session, kind.rest);
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "apis/model/kinds.h"
#include "provider/kube/events.h"
#include "provider/kube/object.h"
#include "provider/kube/resource.h"
#include "provider/managed/hooks.h"
#include "provider/managed/identity.h"
#include "provider/openstack/mirror.h"
#include "provider/openstack/rest.h"
#include "provider/schema/plan.h"
#include "rapidjson/document.h"

namespace kupen::managed {

// Where an object is on its way, as far as its service says.
// kUnknown: it cannot tell at the moment, and all else that it says means nothing.
enum class CloudState : uint8_t { kReady, kFailed, kAtRest, kInTransition, kUnknown };

struct ManagedKind {
  explicit ManagedKind(const apis::Kind& kind);

  // "network.Network".
  std::string name;
  // "network.m.kupenstack.io/v1alpha1".
  std::string api_version;
  schema::KindPlan plan;
  kube::Resource resource;
  openstack::RestSpec rest;
  // Null if it has none.
  std::unique_ptr<Hooks> hooks;

  const apis::options::v1::Rest& options() const { return plan.kind.options.rest(); }
  bool HasMarker() const { return !options().identity().marker().empty(); }
  bool HasChosenId() const { return options().identity().has_client_id(); }

  // Its collection's mirror for whoever has the token, with a list that often. An administrator also sees what a list hides
  // from others by default; what is in other projects is nobody's here, whatever marker it has.
  openstack::MirrorSpec MirrorSpec(const openstack::Token& token, absl::Duration list_interval) const;

  // The id in an object as the service has it.
  std::string IdOf(const rapidjson::Value& object) const;
  CloudState StateOf(const rapidjson::Value& object) const;
  // What the service calls that state; empty if it has none.
  std::string StateName(const rapidjson::Value& object) const;

  // The marker in an object, if it has one.
  std::optional<Marker> MarkerIn(const rapidjson::Value& object) const;
  // Adds the marker to what is sent.
  void AddMarker(const Marker& marker, rapidjson::Value& body, schema::Allocator& allocator) const;
  // The object as people and comparisons see it: without any marker.
  rapidjson::Document Shown(const rapidjson::Value& object) const;

  // The id that we choose for the nth attempt.
  std::string ChosenIdFor(absl::string_view uid, absl::string_view object_name, int attempt) const;

  kube::ObjectReference ReferenceTo(const kube::Object& object) const;

 private:
  void RemoveMarkers(rapidjson::Value& object, schema::Allocator& allocator) const;
};

// How a collection is read, for a kind or for what has none.
openstack::RestSpec RestSpecOf(const apis::options::v1::Rest& rest);

}  // namespace kupen::managed
