// Cinder: volumes and their types.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "test/simulator/glance.h"
#include "test/simulator/service.h"

namespace kupen::simulator {

class Cinder final : public Service {
 public:
  Cinder(World& world, const Glance& glance);

  // For Nova.
  const Object* FindVolume(const Call& call, absl::string_view id) const { return Find(call, id); }
  // Of an image, unless it is null.
  std::string MakeVolume(const Call& call, int size, const Object* image);
  void Attach(const std::string& volume, const std::string& server);
  void Detach(const std::string& volume, bool remove);

  Answer Versions(const Call& call, bool below_version) override;
  Answer Refuse(int status, absl::string_view message) const override;
  std::optional<Answer> CheckVersion(Call& call) const override;
  void AddHeaders(const Call& call, Answer& answer) const override;
  bool IsPublic(const Call& call) const override { return call.path.empty(); }

 private:
  Answer Create(Call& call);
  Answer List(Call& call, bool detailed);
  Answer Show(Call& call);
  Answer Update(Call& call);
  Answer Delete(Call& call);
  Answer ListTypes(Call& call);
  Object* Find(const Call& call, absl::string_view id) const;
  std::optional<Answer> CheckQuota(const Call& call, int size) const;
  Object& Add(const Call& call, const rapidjson::Value& given);
  Answer One(const Call& call, int status, const Object& volume, bool with_tenant) const;
  void Write(Json& out, const Call& call, const Object& volume, bool detailed, bool with_tenant) const;
  static void FillFrom(const Object& image, Object& volume);
  void Touch(Object& volume) const;

  const Glance& glance_;
};

}  // namespace kupen::simulator
