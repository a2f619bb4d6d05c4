// All kinds that do more than their .proto says.
//
//   AddHooks(reconciler, {.clock = SystemClock(), .allowed = rules});
#pragma once

#include <memory>

#include "provider/base/clock.h"
#include "provider/http/address_rules.h"
#include "provider/managed/reconciler.h"

namespace kupen::kinds {

struct KindsOptions {
  // Must outlive the reconciler.
  Clock& clock;
  // Where URLs that users give may lead to. Null for anywhere.
  std::shared_ptr<const http::AddressRules> allowed;
};

// Before the first Reconcile().
void AddHooks(managed::Reconciler& reconciler, const KindsOptions& options);

}  // namespace kupen::kinds
