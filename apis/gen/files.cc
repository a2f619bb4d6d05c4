#include "apis/gen/files.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "apis/gen/crd.h"
#include "apis/gen/names.h"
#include "apis/gen/reference_page.h"
#include "provider/base/status.h"

namespace kupen::apis {
namespace {

namespace fs = std::filesystem;

// Where only generated files live: what else is there was made of a kind that is gone.
constexpr const char* kOwned[] = {"package/crds", "docs/reference"};

std::string Heading(const Kind& kind) {
  return absl::StrCat("# Generated from ", kind.message->file()->name(), " by apis/gen. Change that, then: make generate\n");
}

// Configuration kinds have no service.
std::string Page(const Kind& kind) { return kind.service.empty() ? "config" : kind.service; }

}  // namespace

absl::StatusOr<Files> Generate(const Kinds& kinds, const std::string& root) {
  Files files;
  std::map<std::string, std::vector<ReferenceEntry>> pages;
  for (const Kind& kind : kinds.all()) {
    files[absl::StrCat("package/crds/", CrdFileName(kind))] = absl::StrCat(Heading(kind), Write(Crd(kind)));
    const std::string example = absl::StrCat("examples/", Page(kind), "/", SnakeName(kind.name), ".yaml");
    absl::StatusOr<std::string> text = ReadFile(absl::StrCat(root, "/", example));
    if (!text.ok()) {
      return absl::NotFoundError(absl::StrCat(kind.message->file()->name(), ":1: ", kind.name, " has no example; write ",
                                              example, ", with comments: the reference page and the tests use it"));
    }
    pages[Page(kind)].push_back({&kind, example, *std::move(text)});
  }
  for (const auto& [page, entries] : pages) files[absl::StrCat("docs/reference/", page, ".md")] = ReferencePage(page, entries);
  return files;
}

absl::StatusOr<std::vector<std::string>> StaleFiles(const Files& files, const std::string& root) {
  std::vector<std::string> stale;
  for (const auto& [path, text] : files) {
    const absl::StatusOr<std::string> present = ReadFile(absl::StrCat(root, "/", path));
    if (!present.ok() || *present != text) stale.push_back(path);
  }
  for (const char* directory : kOwned) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(absl::StrCat(root, "/", directory), missing)) {
      const std::string path = absl::StrCat(directory, "/", entry.path().filename().string());
      if (!files.contains(path)) stale.push_back(path);
    }
  }
  return stale;
}

absl::StatusOr<std::vector<std::string>> WriteFiles(const Files& files, const std::string& root) {
  ASSIGN_OR_RETURN(std::vector<std::string> stale, StaleFiles(files, root));
  for (const std::string& path : stale) {
    const auto found = files.find(path);
    if (found != files.end()) {
      RETURN_IF_ERROR(WriteFile(absl::StrCat(root, "/", path), found->second));
    } else if (std::error_code error; !fs::remove(absl::StrCat(root, "/", path), error)) {
      return absl::InternalError(absl::StrCat(path, ": cannot be removed: ", error.message()));
    }
  }
  return stale;
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::error_code ignored;  // if the directory is missing then, opening the file says so
  fs::create_directories(fs::path(path).parent_path(), ignored);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file ? absl::OkStatus() : absl::InternalError(absl::StrCat(path, ": cannot be written"));
}

}  // namespace kupen::apis
