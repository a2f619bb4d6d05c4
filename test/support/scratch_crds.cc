#include "test/support/scratch_crds.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "provider/base/status.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

namespace fs = std::filesystem;

Manifest Read(const fs::path& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return {fs::relative(path, KUPEN_SOURCE).string(), InScratchGroup(text.str())};
}

}  // namespace

std::string InScratchGroup(absl::string_view manifest) {
  return absl::StrReplaceAll(manifest, {{"m.kupenstack.io", "m.apis.test"}});
}

std::vector<Manifest> CommittedCrds() {
  std::vector<Manifest> manifests;
  for (const auto& entry : fs::directory_iterator(fs::path(KUPEN_SOURCE) / "package/crds"))
    manifests.push_back(Read(entry.path()));
  return manifests;
}

std::vector<Manifest> Examples() {
  std::vector<Manifest> manifests;
  for (const auto& service : fs::directory_iterator(fs::path(KUPEN_SOURCE) / "examples")) {
    if (service.path().filename() == "compositions" || service.path().filename() == "quickstart") continue;
    for (const auto& entry : fs::directory_iterator(service.path())) manifests.push_back(Read(entry.path()));
  }
  return manifests;
}

std::vector<Manifest> Quickstart() {
  std::vector<Manifest> manifests;
  for (const auto& entry : fs::directory_iterator(fs::path(KUPEN_SOURCE) / "examples/quickstart"))
    manifests.push_back(Read(entry.path()));
  return manifests;
}

absl::Status InstallCrds() {
  std::vector<std::string> texts;
  for (const Manifest& manifest : CommittedCrds()) texts.push_back(manifest.text);
  RETURN_IF_ERROR(
      Kubectl({"apply", "--server-side", "--force-conflicts", "-f", "-"}, absl::StrJoin(texts, "\n---\n")).status());
  std::vector<std::string> wait = {"wait", "--for=condition=Established", "--timeout=60s"};
  for (const std::string& name : CrdNames()) wait.push_back(absl::StrCat("crd/", name));
  return Kubectl(wait).status();
}

std::vector<std::string> CrdNames() {
  std::vector<std::string> names;
  for (const Manifest& manifest : CommittedCrds()) {
    // <group>_<plural>.yaml
    const std::vector<std::string> parts = absl::StrSplit(fs::path(manifest.path).stem().string(), '_');
    names.push_back(InScratchGroup(absl::StrCat(parts[1], ".", parts[0])));
  }
  return names;
}

}  // namespace kupen::test
