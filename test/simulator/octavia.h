// Octavia: load balancers, which nobody can change while something is pending.
#pragma once

#include "absl/strings/string_view.h"
#include "test/simulator/neutron.h"
#include "test/simulator/service.h"

namespace kupen::simulator {

class Octavia final : public Service {
 public:
  Octavia(World& world, Neutron& neutron);

  Answer Versions(const Call& call, bool below_version) override;
  Answer Refuse(int status, absl::string_view message) const override;
  bool IsPublic(const Call& call) const override { return call.path.empty(); }

 private:
  Answer Create(Call& call);
  Answer List(Call& call);
  Answer Show(Call& call);
  Answer Update(Call& call);
  Answer Delete(Call& call);
  Object* Find(const Call& call, absl::string_view id) const;
  Answer NotFound(absl::string_view id) const;
  // Refuses it while the balancer is pending; else the balancer is pending from now on, until the action is due.
  std::optional<Answer> Begin(const Call& call, Object& balancer, absl::string_view status);
  void Finish(const std::string& id);

  Neutron& neutron_;
};

}  // namespace kupen::simulator
