// How an object in the cloud is known to be ours, whatever happened between the POST and the write of its id.
//
// A marker goes into a field that the service takes at POST and shows in a LIST (a description, a tag): it names the cluster
// and the object. Where the service lets us choose the id, the id itself is made of the object's UID.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace kupen::managed {

struct Marker {
  // The first eight digits of the cluster's id. Enough to refuse another cluster's objects: the UID is unique by itself.
  std::string cluster;
  std::string uid;

  // kupen:1f3a55c0:4b0e…: at most 60 characters, and none that a tag of Nova or Neutron refuses.
  std::string Text() const;

  // The marker in a tag or at the end of a description, if there is one.
  static std::optional<Marker> FindIn(absl::string_view text);

  friend bool operator==(const Marker&, const Marker&) = default;
};

// A description with the marker at its end, and the description without it.
std::string WithMarker(absl::string_view description, const Marker& marker);
std::string WithoutMarker(absl::string_view description);

// The id that we choose for the nth attempt to create an object (from 1): always the same for the same object and attempt.
std::string ChosenId(absl::string_view uid, int attempt);

}  // namespace kupen::managed
