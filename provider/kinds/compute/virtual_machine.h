// What compute.VirtualMachine needs beyond its .proto: how Nova wants networks, volumes, user data and hints at its creation,
// and its state and addresses in plain words.
//
//   reconciler.SetHooks("compute.VirtualMachine", std::make_unique<VirtualMachineHooks>());
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "provider/managed/hooks.h"
#include "provider/schema/codec.h"
#include "rapidjson/document.h"

namespace kupen::kinds {

class VirtualMachineHooks final : public managed::Hooks {
 public:
  std::vector<std::string> Fields() const override;
  absl::Status PrepareCreate(const managed::HookContext& context, const rapidjson::Value& parameters,
                             managed::CreateRequest& request, schema::Allocator& allocator) const override;
  void Observe(const rapidjson::Value& object, rapidjson::Value& observation, schema::Allocator& allocator) const override;
  // A floating address if it has one, else its first.
  std::string Address(const rapidjson::Value& object) const override;
};

}  // namespace kupen::kinds
