// Kinds that exist only in a test: the text of a .proto becomes what protoc would have made of it, comments and positions
// included.
//
//   ASSIGN_OR_RETURN(const Kinds kinds, LoadProto("apis/test/v1alpha1/thing.proto", ThingProto({.parameters = "…"})));
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "apis/model/kinds.h"

namespace kupen::test {

// One file; it may import those of the API. An error is what protoc printed.
absl::StatusOr<apis::Kinds> LoadProto(const std::string& path, const std::string& text);

// Parts of a kind `Thing` that is right in all the rest. The fields of `parameters` start at line 20.
struct ThingParts {
  const char* comment = "// A Thing.";
  const char* kind = "";  // more options of the kind
  const char* rest =
      R"(rest: { service: "test" path: "/things" envelope: "thing" identity: { marker: "description" } update: PUT })";
  const char* parameters = "";
  const char* observation = "";
  const char* messages = "";  // beside Parameters and Observation
};

inline constexpr char kThingPath[] = "apis/test/v1alpha1/thing.proto";

std::string ThingProto(const ThingParts& parts);

}  // namespace kupen::test
