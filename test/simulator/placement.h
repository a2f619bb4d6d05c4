// Placement: the hosts as resource providers, for administrators to look at.
#pragma once

#include "absl/strings/string_view.h"
#include "test/simulator/service.h"

namespace kupen::simulator {

class Placement final : public Service {
 public:
  explicit Placement(World& world);

  Answer Versions(const Call& call, bool below_version) override;
  Answer Refuse(int status, absl::string_view message) const override;
  std::optional<Answer> CheckVersion(Call& call) const override;
  void AddHeaders(const Call& call, Answer& answer) const override;
  bool IsPublic(const Call& call) const override { return call.path.empty(); }

 private:
  Answer List(const Call& call) const;
  Answer Show(const Call& call) const;
  void Write(Json& out, const Call& call, const Object& provider) const;
};

}  // namespace kupen::simulator
