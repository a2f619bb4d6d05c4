#include "apis/model/references.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "apis/model/kinds.h"

namespace kupen::apis {

std::vector<std::string> ReferenceMembers::all() const {
  std::vector<std::string> members;
  for (const std::string* member : {&id, &ref, &selector, &name}) {
    if (!member->empty()) members.push_back(*member);
  }
  return members;
}

std::optional<ReferenceMembers> ReferenceMembersOf(const google::protobuf::FieldDescriptor& field) {
  const options::v1::Field& options = OptionsOf(field);
  if (!options.has_refers_to()) return std::nullopt;

  absl::string_view base = field.json_name();
  const bool by_name = !field.is_repeated() && absl::ConsumeSuffix(&base, "Name");
  if (!by_name && !absl::ConsumeSuffix(&base, field.is_repeated() ? "IDs" : "ID")) return std::nullopt;

  const absl::string_view plural = field.is_repeated() ? "s" : "";
  ReferenceMembers members;
  members.id = field.json_name();
  if (!options.refers_to().kind().empty()) {
    members.ref = absl::StrCat(base, "Ref", plural);
    members.selector = absl::StrCat(base, "Selector");
  }
  if (!by_name) members.name = absl::StrCat(base, "Name", plural);
  return members;
}

}  // namespace kupen::apis
