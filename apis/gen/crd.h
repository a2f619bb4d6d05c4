// The CustomResourceDefinition of a kind.
#pragma once

#include <string>

#include "apis/gen/yaml.h"
#include "apis/model/kinds.h"

namespace kupen::apis {

Yaml Crd(const Kind& kind);

// network.m.kupenstack.io_networks.yaml, as controller-gen names such files.
std::string CrdFileName(const Kind& kind);

}  // namespace kupen::apis
