// Whether two clouds have answered a step alike: with the same status and a body of the same shape, which is to say the same
// members of the same JSON types, all the way down. Of lists, the first element of each must be like one of the other's: some
// services sort by ids of chance. A refusal must also mean the same to the provider: error.h reads some of them by their text.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "provider/http/transport.h"
#include "rapidjson/document.h"
#include "test/conformance/steps.h"

namespace kupen::conformance {

struct Reply {
  http::Response response = {};
  // Null if it has none; what is not JSON is a text.
  rapidjson::Document body = {};
  // What kept the step from being done as it says; else empty.
  std::string problem = "";
};

// The value at "networks.0.id", or null if there is none.
const rapidjson::Value* At(const rapidjson::Value& root, absl::string_view path);

struct Difference {
  std::string path;
  std::string what;
};
std::vector<Difference> CompareShapes(const rapidjson::Value& simulated, const rapidjson::Value& real);

// Whether the path, or one that leads to it, fits the pattern: "ports.*.binding:vif_details" fits all that is in it.
bool IsBelow(absl::string_view path, absl::string_view pattern);

// All that is wrong, each beginning with the step's title: differences, and exceptions from them that are no longer needed.
std::vector<std::string> CompareReplies(const Step& step, const Reply& simulated, const Reply& real);

}  // namespace kupen::conformance
