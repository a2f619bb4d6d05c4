// The OpenAPI schema of a message, as it stands in a CRD.
//
//   Yaml parameters = ObjectSchema(*kind.parameters, Place::kForProvider);
//
// Takes for granted what check.h has checked.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstdint>

#include "apis/gen/yaml.h"

namespace kupen::apis {

// The same message differs a little by where it stands.
enum class Place : uint8_t {
  kForProvider,
  kInitProvider,  // without descriptions: forProvider has them
  kAtProvider,    // without limits on text: a limit here could only stop us from saying what is so
  kSpec,          // of a kind that configures the provider: defaults are the API server's
  kStatus,
};

// {type: object, properties: …}, with the rules between its fields.
Yaml ObjectSchema(const google::protobuf::Descriptor& message, Place place);

// A string of 1 to `max_length` characters.
Yaml TextSchema(int64_t max_length);

// {rule: …, message: …} of x-kubernetes-validations.
Yaml RuleSchema(absl::string_view rule, absl::string_view message);

}  // namespace kupen::apis
