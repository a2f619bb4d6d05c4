// What image.Image needs beyond its .proto: its data, which is uploaded while it is queued, and its properties, which are
// members of the users' choice among Glance's own.
//
//   reconciler.SetHooks("image.Image", std::make_unique<ImageHooks>(clock, SourceOptions{.allowed = rules}));
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "provider/base/clock.h"
#include "provider/kinds/image/source.h"
#include "provider/kinds/image/upload_pool.h"
#include "provider/managed/hooks.h"
#include "provider/schema/codec.h"
#include "rapidjson/document.h"

namespace kupen::kinds {

class ImageHooks final : public managed::Hooks {
 public:
  // The clock must outlive this.
  ImageHooks(Clock& clock, SourceOptions source) : source_(std::move(source)), uploads_(clock) {}

  bool KeepsAllFields() const override { return true; }
  absl::Status PrepareCreate(const managed::HookContext& context, const rapidjson::Value& parameters,
                             managed::CreateRequest& request, schema::Allocator& allocator) const override;
  absl::Status Advance(const managed::HookContext& context, const std::string& id, const rapidjson::Value& parameters,
                       const rapidjson::Value& object) override;
  void Observe(const rapidjson::Value& object, rapidjson::Value& observation, schema::Allocator& allocator) const override;
  std::vector<managed::HookChange> Diff(const rapidjson::Value& parameters, const rapidjson::Value& object,
                                        schema::Allocator& allocator) const override;

 private:
  const SourceOptions source_;
  UploadPool uploads_;
};

}  // namespace kupen::kinds
