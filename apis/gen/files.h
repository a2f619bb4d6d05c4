// Files that the generator makes: written where they differ, or only compared.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apis/model/kinds.h"

namespace kupen::apis {

// Text by path, relative to the root of the repository.
using Files = std::map<std::string, std::string>;

// package/crds/*.yaml and docs/reference/*.md. Reads the examples under `root`; a kind without one is an error.
absl::StatusOr<Files> Generate(const Kinds& kinds, const std::string& root);

// Makes the files under `root` so, and removes what an earlier run made of kinds that are gone. Gives the paths that it
// touched.
absl::StatusOr<std::vector<std::string>> WriteFiles(const Files& files, const std::string& root);

// The paths that WriteFiles would touch.
absl::StatusOr<std::vector<std::string>> StaleFiles(const Files& files, const std::string& root);

absl::StatusOr<std::string> ReadFile(const std::string& path);
absl::Status WriteFile(const std::string& path, const std::string& text);

}  // namespace kupen::apis
