#include "provider/kinds/kinds.h"

#include "provider/kinds/compute/virtual_machine.h"
#include "provider/kinds/image/image.h"

namespace kupen::kinds {

void AddHooks(managed::Reconciler& reconciler, const KindsOptions& options) {
  reconciler.SetHooks("compute.VirtualMachine", std::make_unique<VirtualMachineHooks>());
  reconciler.SetHooks("image.Image", std::make_unique<ImageHooks>(options.clock, SourceOptions{.allowed = options.allowed}));
}

}  // namespace kupen::kinds
