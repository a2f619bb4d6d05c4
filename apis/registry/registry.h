// All kinds of the API, inside the program.
//
//   for (const Kind& kind : Registry().all()) manager.Add(kind);
//   const Kind* kind = Registry().Find("compute.KeyPair");
//   google::protobuf::DynamicMessageFactory().GetPrototype(kind->parameters) …
//
// Thread safety: read-only after the first call.
#pragma once

#include "apis/model/kinds.h"

namespace kupen::apis {

const Kinds& Registry();

}  // namespace kupen::apis
