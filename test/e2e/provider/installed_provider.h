// The provider's package, built as users get it and installed by the real Crossplane.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kupen::test {

// Builds the package with that version in it, and pushes it to the cluster's registry. Gives its reference, with a tag that
// names its content: the node keeps images by tag and would run an older build.
absl::StatusOr<std::string> PushProvider(absl::string_view version);

// The one Provider object that all tests here share: install_test makes it, uninstall_test takes it away.
class InstalledProvider {
 public:
  // Installs that package, or changes to it, with a DeploymentRuntimeConfig; waits until its pod is the only one, and healthy.
  static absl::Status Install(absl::string_view package, absl::string_view runtime_config);
  // With its CRDs and all that runs.
  static absl::Status Uninstall();

  // The one pod that runs.
  absl::StatusOr<std::string> Pod() const;
  absl::StatusOr<std::string> ServiceAccount() const;
  absl::StatusOr<std::string> Log() const;
  // What it serves, asked for through the API server.
  absl::StatusOr<std::string> Get(absl::string_view path) const;
};

// The value of a series without labels in the text of /metrics.
absl::StatusOr<double> MetricIn(absl::string_view text, absl::string_view name);

}  // namespace kupen::test
