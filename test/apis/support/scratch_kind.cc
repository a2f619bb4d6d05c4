#include "test/apis/support/scratch_kind.h"

#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace kupen::test {
namespace {

namespace fs = std::filesystem;

// A directory that is gone afterwards.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (fs::temp_directory_path() / "kupen_proto.XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~ScratchDirectory() { fs::remove_all(path_); }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// What the command printed, if it failed.
absl::Status RunShell(const std::string& command) {
  FILE* output = popen(absl::StrCat(command, " 2>&1").c_str(), "re");
  if (output == nullptr) return absl::InternalError(absl::StrCat("cannot be started: ", command));
  std::string text;
  std::array<char, 4096> buffer{};
  while (const size_t read = fread(buffer.data(), 1, buffer.size(), output)) text.append(buffer.data(), read);
  return pclose(output) == 0 ? absl::OkStatus() : absl::InvalidArgumentError(text);
}

}  // namespace

absl::StatusOr<apis::Kinds> LoadProto(const std::string& path, const std::string& text) {
  const ScratchDirectory scratch;
  const fs::path file = scratch.path() / path;
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
  const fs::path descriptors = scratch.path() / "descriptors.pb";
  absl::Status compiled =
      RunShell(absl::StrCat(KUPEN_PROTOC, " --proto_path=", scratch.path().string(), " --proto_path=", KUPEN_SOURCE,
                            " --include_imports --include_source_info --descriptor_set_out=", descriptors.string(), " ", path));
  if (!compiled.ok()) return compiled;

  google::protobuf::FileDescriptorSet set;
  std::ifstream bytes(descriptors, std::ios::binary);
  if (!set.ParseFromIstream(&bytes)) return absl::InternalError("protoc wrote no descriptor set");
  return apis::Kinds::Load(set);
}

std::string ThingProto(const ThingParts& parts) {
  return absl::StrCat(R"(syntax = "proto3";

package kupen.apis.test.v1alpha1;

import "apis/options/v1/options.proto";

)",
                      parts.comment, R"(
message Thing {
  option (options.v1.kind) = {
    )",
                      parts.rest, "\n    ", parts.kind, R"(
  };





  message Parameters {
)",
                      parts.parameters, "\n  }\n  message Observation {\n", parts.observation, "\n  }\n", parts.messages,
                      "\n}\n");
}

}  // namespace kupen::test
