#include "apis/model/kinds.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace kupen::apis {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FileDescriptor;

constexpr absl::string_view kPackage = "kupen.apis.";

// Collects what protobuf finds wrong while it links the files.
class Problems : public google::protobuf::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& file, const std::string& element, const google::protobuf::Message*, ErrorLocation,
                const std::string& message) override {
    found_.push_back(absl::StrCat(file, ": ", element, ": ", message));
  }
  std::string text() const { return absl::StrJoin(found_, "\n"); }

 private:
  std::vector<std::string> found_;
};

// kupen.apis.network.v1alpha1 → network, v1alpha1; kupen.apis.v1alpha1 → "", v1alpha1.
std::pair<std::string, std::string> ServiceAndVersion(absl::string_view package) {
  const std::vector<std::string> words = absl::StrSplit(package.substr(kPackage.size()), '.');
  return words.size() == 1 ? std::pair(std::string(), words[0]) : std::pair(words[0], words[1]);
}

Kind ReadKind(const Descriptor& message) {
  Kind kind;
  std::tie(kind.service, kind.version) = ServiceAndVersion(message.file()->package());
  kind.group = kind.service.empty() ? std::string(kGroup) : absl::StrCat(kind.service, ".", kGroup);
  kind.name = message.name();
  kind.options = message.options().GetExtension(options::v1::kind);
  kind.plural = kind.options.plural().empty() ? absl::StrCat(absl::AsciiStrToLower(kind.name), "s") : kind.options.plural();
  kind.message = &message;
  kind.parameters = message.FindNestedTypeByName("Parameters");
  kind.observation = message.FindNestedTypeByName("Observation");
  kind.spec = message.FindNestedTypeByName("Spec");
  kind.status = message.FindNestedTypeByName("Status");
  return kind;
}

bool IsOurs(const FileDescriptor& file) {
  return absl::StartsWith(file.package(), kPackage) && !absl::StartsWith(file.package(), "kupen.apis.options.");
}

}  // namespace

absl::StatusOr<Kinds> Kinds::Load(const google::protobuf::FileDescriptorSet& set) {
  Kinds result;
  result.pool_ = std::make_unique<google::protobuf::DescriptorPool>();
  Problems problems;
  for (const auto& proto : set.file()) {
    const FileDescriptor* file = result.pool_->BuildFileCollectingErrors(proto, &problems);
    if (file == nullptr) return absl::InvalidArgumentError(problems.text());
    if (IsOurs(*file)) result.files_.push_back(file);
  }
  std::sort(result.files_.begin(), result.files_.end(), [](const auto* a, const auto* b) { return a->name() < b->name(); });

  for (const FileDescriptor* file : result.files_) {
    for (int i = 0; i < file->message_type_count(); ++i) {
      const Descriptor& message = *file->message_type(i);
      if (message.options().HasExtension(options::v1::kind)) result.kinds_.push_back(ReadKind(message));
    }
  }
  std::sort(result.kinds_.begin(), result.kinds_.end(), [](const Kind& a, const Kind& b) {
    return std::tie(a.group, a.name, a.version) < std::tie(b.group, b.name, b.version);
  });
  return result;
}

const Kind* Kinds::Find(absl::string_view reference) const {
  const auto found =
      std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& kind) { return kind.reference() == reference; });
  return found == kinds_.end() ? nullptr : &*found;
}

const options::v1::Field& OptionsOf(const google::protobuf::FieldDescriptor& field) {
  return field.options().GetExtension(options::v1::field);
}

}  // namespace kupen::apis
