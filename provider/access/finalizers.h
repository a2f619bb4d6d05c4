// Finalizers of an object: who has to finish something before it may go.
//
//   if (!HasFinalizer(secret, kSecretInUse)) client.MergePatch(…, WithFinalizer(secret, kSecretInUse), {.resource_version = …},
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
// On its Secret. When a namespace is deleted, its objects go from the cloud first, and that takes credentials.
inline constexpr absl::string_view kSecretInUse = "m.kupenstack.io/in-use";

bool HasFinalizer(const rapidjson::Value& object, absl::string_view finalizer);

// Merge patches.
std::string WithFinalizer(const rapidjson::Value& object, absl::string_view finalizer);
std::string WithoutFinalizer(const rapidjson::Value& object, absl::string_view finalizer);

}  // namespace kupen::access
