// Refuses a .proto that would make a CRD that the API server, the provider or a reader cannot use.
//
//   for (const std::string& problem : Check(kinds)) std::cerr << problem << "\n";
//   // apis/network/v1alpha1/network.proto:31: name: a string without a maximum; add max_length, values or a format that has
//   one
//
// All problems at once, each as file:line: what is wrong; what is allowed.
#pragma once

#include <string>
#include <vector>

#include "apis/model/kinds.h"

namespace kupen::apis {

std::vector<std::string> Check(const Kinds& kinds);

}  // namespace kupen::apis
