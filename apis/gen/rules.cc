#include "apis/gen/rules.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "apis/gen/schema.h"
#include "apis/model/references.h"

namespace kupen::apis {
namespace {

using ::google::protobuf::FieldDescriptor;

constexpr absl::string_view kOnlyObserves =
    "!('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in self.managementPolicies)";
constexpr absl::string_view kDoesNotExist =
    "!has(oldSelf.status) || !has(oldSelf.status.atProvider) || !has(oldSelf.status.atProvider.id)";

// The CRD's members of a field: itself, or the ways to refer.
std::vector<std::string> MembersOf(const FieldDescriptor& field) {
  if (const auto members = ReferenceMembersOf(field)) return members->all();
  return {field.json_name()};
}

std::string JoinOr(const std::vector<std::string>& members, const std::function<std::string(const std::string&)>& term) {
  return absl::StrJoin(members, " || ",
                       [&](std::string* out, const std::string& member) { absl::StrAppend(out, term(member)); });
}

std::string Kept(const std::string& member, bool other_may_replace) {
  const std::string now = absl::StrCat("self.spec.forProvider.", member);
  const std::string before = absl::StrCat("oldSelf.spec.forProvider.", member);
  if (other_may_replace) return absl::StrCat("!has(", before, ") || !has(", now, ") || ", now, " == ", before);
  return absl::StrCat("!has(", before, ") || (has(", now, ") && ", now, " == ", before, ")");
}

}  // namespace

Yaml RequiredRules(const Kind& kind) {
  Yaml rules = Yaml::List();
  for (int i = 0; i < kind.parameters->field_count(); ++i) {
    const FieldDescriptor& field = *kind.parameters->field(i);
    if (!OptionsOf(field).required()) continue;
    const std::vector<std::string> members = MembersOf(field);
    const std::string in_for =
        JoinOr(members, [](const std::string& member) { return absl::StrCat("has(self.forProvider.", member, ")"); });
    const std::string in_init =
        JoinOr(members, [](const std::string& member) { return absl::StrCat("has(self.initProvider.", member, ")"); });
    const std::string what = members.size() == 1 ? absl::StrCat("spec.forProvider.", members[0], " is a required parameter")
                                                 : absl::StrCat("one of ", absl::StrJoin(members, ", "),
                                                                " is a required parameter of spec.forProvider");
    rules.Add(RuleSchema(absl::StrCat(kOnlyObserves, " || ", in_for, " || (has(self.initProvider) && (", in_init, "))"), what));
  }
  for (int i = 0; i < kind.parameters->options().ExtensionSize(options::v1::rule); ++i) {
    const options::v1::Rule& rule = kind.parameters->options().GetExtension(options::v1::rule, i);
    if (rule.unless_observed()) rules.Add(RuleSchema(absl::StrCat(kOnlyObserves, " || (", rule.rule(), ")"), rule.message()));
  }
  return rules;
}

Yaml ImmutableRules(const Kind& kind) {
  Yaml rules = Yaml::List();
  for (int i = 0; i < kind.parameters->field_count(); ++i) {
    const FieldDescriptor& field = *kind.parameters->field(i);
    if (!OptionsOf(field).immutable()) continue;
    const std::vector<std::string> members = MembersOf(field);
    for (const std::string& member : members) {
      Yaml rule = RuleSchema(absl::StrCat(kDoesNotExist, " || ", Kept(member, /*other_may_replace=*/members.size() > 1)),
                             absl::StrCat("cannot be changed once the ", kind.name, " exists in the cloud"));
      rules.Add(std::move(rule.Set("fieldPath", absl::StrCat(".spec.forProvider.", member))));
    }
  }
  return rules;
}

}  // namespace kupen::apis
