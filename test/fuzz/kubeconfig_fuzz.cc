// A kubeconfig: as a whole, and with a secret in it.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "provider/kube/config.h"
#include "test/fuzz/fuzz.h"

namespace kupen::fuzz {
namespace {

constexpr std::array<absl::string_view, 2> kSecretKeys = {"token", "client-key-data"};

// Removed when the fuzzer ends.
class ScratchFile {
 public:
  ScratchFile() : directory_(std::filesystem::temp_directory_path() / absl::StrCat("kupen-kubeconfig-", getpid())) {
    std::filesystem::create_directories(directory_);
  }
  ~ScratchFile() { std::filesystem::remove_all(directory_); }

  std::string Write(absl::string_view text) const {
    const std::filesystem::path path = directory_ / "config";
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

 private:
  const std::filesystem::path directory_;
};

absl::StatusOr<kube::Config> Load(absl::string_view text) {
  static const ScratchFile file;
  return kube::LoadKubeconfig(file.Write(text));
}

void CheckWhole(absl::string_view text) {
  const absl::StatusOr<kube::Config> config = Load(text);
  if (!config.ok()) return CheckMessage(config.status());
  Check(!config->server.empty(), "a kubeconfig without a server is accepted");
}

void CheckSecret(absl::string_view key, absl::string_view value) {
  CheckMessage(Load(absl::StrCat(R"(
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: 'https://k'}}]
users:
- name: u
  user:
    )",
                                 key, ": ", value, "\n"))
                   .status());
}

// Those that begin like a key which holds a secret are around one.
void CheckInput(absl::string_view text) {
  const uint8_t choice = TakeByte(text);
  for (const absl::string_view key : kSecretKeys) {
    if (choice == key.front()) return CheckSecret(key, AroundSecret(text));
  }
  CheckWhole(text);
}

}  // namespace
}  // namespace kupen::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text = kupen::fuzz::Text(data, size);
  // Elsewhere than where a user has secrets, it may be shown.
  if (absl::StrContains(text, kupen::fuzz::kSecret)) return 0;
  // It may name files, and these have no end.
  if (absl::StrContains(text, "/dev") || absl::StrContains(text, "/proc")) return 0;
  kupen::fuzz::CheckInput(text);
  return 0;
}
