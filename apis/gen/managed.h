// What every managed resource has besides its own parameters and observation: Crossplane's contract (policies, provider config,
// connection secret, conditions) and ours (replacePolicy, resolved references, the flat block that federations read).
#pragma once

#include "apis/gen/yaml.h"
#include "apis/model/kinds.h"

namespace kupen::apis {

Yaml ManagedSpec(const Kind& kind);
Yaml ManagedStatus(const Kind& kind);

// status.conditions, for all kinds.
Yaml Conditions();

}  // namespace kupen::apis
