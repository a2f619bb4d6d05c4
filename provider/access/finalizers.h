// Finalizers of an object: who has to finish something before it may go.
//
//   if (!HasFinalizer(config, kConfigInUse)) client.MergePatch(…, WithFinalizer(config, kConfigInUse), {.resource_version = …},
//   stop);
//
// A merge patch replaces the whole list, so it must carry the version of the object that it was made from.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "rapidjson/document.h"

namespace kupen::access {

// On a configuration that objects use: Crossplane's own.
inline constexpr absl::string_view kConfigInUse = "in-use.crossplane.io";

bool HasFinalizer(const rapidjson::Value& object, absl::string_view finalizer);

// Merge patches.
std::string WithFinalizer(const rapidjson::Value& object, absl::string_view finalizer);
std::string WithoutFinalizer(const rapidjson::Value& object, absl::string_view finalizer);

}  // namespace kupen::access
