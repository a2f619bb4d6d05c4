// The CEL rules that the generator writes for a managed resource by itself.
//
// CEL in a CRD sees spec and status, but of metadata only the name. So "exists in the cloud" is told by status.atProvider.id,
// which the provider writes with the external-name annotation and removes when the object is gone.
#pragma once

#include "apis/gen/yaml.h"
#include "apis/model/kinds.h"

namespace kupen::apis {

// For spec: a required parameter is in forProvider or initProvider, if the provider may create or update at all; and the kind's
// own rules of that sort.
Yaml RequiredRules(const Kind& kind);

// For the whole object: an immutable parameter keeps its value once the object exists. It may still be set where it was not (an
// imported object gets its spec bit by bit); the provider compares it with the cloud then. Of a referring field each member
// keeps its value, but another may take its place: an id for the Ref that led to it.
Yaml ImmutableRules(const Kind& kind);

}  // namespace kupen::apis
