// The committed CRDs and examples under a group of the tests' own (network.m.apis.test …), so that neither an installed
// provider nor another test meets their objects.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace kupen::test {

// The same manifest, in the tests' group.
std::string InScratchGroup(absl::string_view manifest);

struct Manifest {
  std::string path;  // below the source directory
  std::string text;  // in the tests' group
};

// All CRDs of package/crds; all examples of kinds, examples/<service>/<kind>.yaml.
std::vector<Manifest> CommittedCrds();
std::vector<Manifest> Examples();
// Of examples/quickstart, each with many objects.
std::vector<Manifest> Quickstart();

// Creates or updates the CRDs and waits until the API server serves them. They stay: they are the same for all tests.
absl::Status InstallCrds();

// networks.network.m.apis.test …
std::vector<std::string> CrdNames();

}  // namespace kupen::test
