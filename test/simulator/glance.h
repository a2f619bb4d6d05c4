// Glance: images, their data and their properties.
#pragma once

#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "test/simulator/service.h"

namespace kupen::simulator {

class Glance final : public Service {
 public:
  explicit Glance(World& world);

  // What the caller can see, or null.
  const Object* FindImage(const Call& call, absl::string_view id) const { return Find(call, id); }
  // A public image of so many zero bytes.
  void SeedImage(const std::string& project, absl::string_view name, size_t size);

  Answer Versions(const Call& call, bool below_version) override;
  Answer Refuse(int status, absl::string_view message) const override;
  bool IsPublic(const Call& call) const override { return call.path.empty(); }

 private:
  Answer Create(Call& call);
  Answer List(Call& call);
  Answer Show(Call& call);
  Answer Patch(Call& call);
  Answer Upload(Call& call);
  Answer Delete(Call& call);
  Object* Find(const Call& call, absl::string_view id) const;
  Object* FindOwn(const Call& call, absl::string_view id, Answer& wrong) const;
  bool FitsFilters(const Call& call, const Object& image) const;
  std::optional<Answer> CheckMember(const Call& call, absl::string_view name, const rapidjson::Value& value) const;
  Object& Add(const std::string& id, const std::string& project, const rapidjson::Value& given);
  void Store(Object& image, absl::string_view data) const;
  void Touch(Object& image) const;

  // Of images that are gone: Glance never takes them again.
  std::set<std::string> used_ids_;
};

}  // namespace kupen::simulator
