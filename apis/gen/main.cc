// The API generator.
//
//   apigen write DESCRIPTORS ROOT         rewrites package/crds and docs/reference under ROOT
//   apigen check DESCRIPTORS ROOT         names those that are stale
//   apigen embed DESCRIPTORS FILE         writes the C++ source for apis/registry
//
// DESCRIPTORS is what protoc --include_imports --include_source_info --descriptor_set_out made of all .proto files of the API.
// Exit status 1 if a .proto is bad (each problem as file:line: what is wrong; what is allowed) or something is stale.
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "apis/gen/check.h"
#include "apis/gen/embed.h"
#include "apis/gen/files.h"
#include "apis/model/kinds.h"
#include "provider/base/status.h"

namespace kupen::apis {
namespace {

constexpr char kUsage[] = "usage: apigen write|check DESCRIPTORS ROOT, or apigen embed DESCRIPTORS FILE";

absl::Status Run(const std::string& command, const std::string& descriptors, const std::string& target) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(descriptors));
  google::protobuf::FileDescriptorSet set;
  if (!set.ParseFromString(bytes)) return absl::InvalidArgumentError(absl::StrCat(descriptors, ": not a descriptor set"));
  ASSIGN_OR_RETURN(const Kinds kinds, Kinds::Load(set));
  if (const std::vector<std::string> problems = Check(kinds); !problems.empty()) {
    return absl::InvalidArgumentError(absl::StrJoin(problems, "\n"));
  }

  if (command == "embed") return WriteFile(target, EmbedDescriptors(set));
  ASSIGN_OR_RETURN(const Files files, Generate(kinds, target));
  if (command == "write") {
    ASSIGN_OR_RETURN(const std::vector<std::string> written, WriteFiles(files, target));
    for (const std::string& path : written) std::cout << path << "\n";
    return absl::OkStatus();
  }
  if (command != "check") return absl::InvalidArgumentError(kUsage);
  ASSIGN_OR_RETURN(const std::vector<std::string> stale, StaleFiles(files, target));
  if (stale.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("stale, make generate: ", absl::StrJoin(stale, ", ")));
}

}  // namespace
}  // namespace kupen::apis

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const absl::Status status = arguments.size() == 3 ? kupen::apis::Run(arguments[0], arguments[1], arguments[2])
                                                    : absl::InvalidArgumentError(kupen::apis::kUsage);
  if (status.ok()) return 0;
  std::cerr << status.message() << "\n";
  return 1;
}
