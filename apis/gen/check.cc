#include "apis/gen/check.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "apis/gen/check_fields.h"
#include "apis/gen/names.h"
#include "apis/gen/problems.h"
#include "apis/model/references.h"

namespace kupen::apis {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::FileDescriptor;

void CheckFile(const FileDescriptor& file, Problems& problems) {
  std::vector<const Descriptor*> kinds;
  for (int i = 0; i < file.message_type_count(); ++i) {
    if (file.message_type(i)->options().HasExtension(options::v1::kind)) kinds.push_back(file.message_type(i));
  }
  if (kinds.empty()) return;  // messages that kinds share
  const Descriptor& kind = *kinds[0];
  if (kinds.size() > 1) problems.Add(*kinds[1], "a second kind in one file", "one file per kind");

  const std::string path = absl::StrCat(absl::StrReplaceAll(file.package().substr(sizeof("kupen.") - 1), {{".", "/"}}), "/",
                                        SnakeName(kind.name()), ".proto");
  if (file.name() != path) {
    problems.Add(kind, absl::StrCat("package ", file.package(), " in this file"), absl::StrCat("it belongs in ", path));
  }
}

void CheckIdentity(const Kind& kind, Problems& problems) {
  const options::v1::Identity& identity = kind.options.rest().identity();
  const int given =
      (identity.marker().empty() ? 0 : 1) + (identity.has_client_id() ? 1 : 0) + (identity.natural_key().empty() ? 0 : 1);
  if (given != 1) {
    problems.Add(*kind.message, "no identity, or more than one",
                 "exactly one of marker, client_id, natural_key in rest.identity");
  }
}

void CheckRest(const Kind& kind, Problems& problems) {
  const options::v1::Rest& rest = kind.options.rest();
  if (rest.service().empty() || !absl::StartsWith(rest.path(), "/")) {
    problems.Add(*kind.message, "does not say where it is in OpenStack",
                 "rest: { service: \"network\" path: \"/networks\" … }");
  }
  if (rest.envelope().empty() && rest.list_envelope().empty()) {
    problems.Add(*kind.message, "does not say what holds the objects of a LIST",
                 "envelope, or list_envelope if objects have none");
  }
  if (rest.has_state() && (rest.state().field().empty() || rest.state().ready().empty())) {
    problems.Add(*kind.message, "a state without its field or without what is ready",
                 "state: { field: \"status\" ready: \"ACTIVE\" }");
  }
  CheckIdentity(kind, problems);
  if (rest.update() != options::v1::NOT_POSSIBLE) return;
  for (int i = 0; i < kind.parameters->field_count(); ++i) {
    const FieldDescriptor& field = *kind.parameters->field(i);
    const options::v1::Field& options = OptionsOf(field);
    if (!options.immutable() && !options.replaces() && !options.has_subresource()) {
      problems.Add(field, absl::StrCat("may change, but ", kind.name, " says that the service cannot change such an object"),
                   "immutable, replaces or a subresource; or rest.update of the kind");
    }
  }
}

// The message that a step of a column's path leads to. Sets `found` if the step is a member at all.
const Descriptor* Step(const Descriptor* message, absl::string_view member, bool& found) {
  found = false;
  for (int i = 0; i < message->field_count(); ++i) {
    const FieldDescriptor& field = *message->field(i);
    const auto references = ReferenceMembersOf(field);
    const std::vector<std::string> members = references ? references->all() : std::vector{field.json_name()};
    if (std::find(members.begin(), members.end(), member) == members.end()) continue;
    found = true;
    return field.json_name() == member && !field.is_repeated() ? field.message_type() : nullptr;
  }
  return nullptr;
}

bool LeadsToField(const Kind& kind, absl::string_view path) {
  const std::vector<std::pair<absl::string_view, const Descriptor*>> roots =
      kind.managed()
          ? std::vector<std::pair<absl::string_view, const Descriptor*>>{{".spec.forProvider.", kind.parameters},
                                                                         {".status.atProvider.", kind.observation}}
          : std::vector<std::pair<absl::string_view, const Descriptor*>>{{".spec.", kind.spec}, {".status.", kind.status}};
  for (const auto& [prefix, root] : roots) {
    if (!absl::StartsWith(path, prefix)) continue;
    const Descriptor* message = root;
    bool found = false;
    for (const absl::string_view member : absl::StrSplit(path.substr(prefix.size()), '.')) {
      if (message == nullptr) return false;
      message = Step(message, member, found);
      if (!found) return false;
    }
    return found;
  }
  return false;
}

void CheckColumns(const Kind& kind, Problems& problems) {
  for (const auto& column : kind.options.columns()) {
    if (column.name().empty() || !LeadsToField(kind, column.path())) {
      problems.Add(*kind.message,
                   absl::StrCat("column ", column.name(), " has path ", column.path(), ", which leads to no field"),
                   kind.managed() ? ".spec.forProvider.… or .status.atProvider.…" : ".spec.… or .status.…");
    }
  }
}

void CheckConnection(const Kind& kind, Problems& problems) {
  for (const std::string& member : kind.options.connection()) {
    if (kind.managed() && LeadsToField(kind, absl::StrCat(".status.atProvider.", member))) continue;
    problems.Add(*kind.message, absl::StrCat("connection: ", member, " is no field of status.atProvider"),
                 "a field of Observation, by its name in JSON");
  }
}

void CheckKind(const Kinds& kinds, const Kind& kind, Problems& problems) {
  if (Description(*kind.message).empty()) {
    problems.Add(*kind.message, "no comment", "the comment above it is its description in the CRD");
  }
  const bool managed =
      kind.parameters != nullptr && kind.observation != nullptr && kind.spec == nullptr && kind.status == nullptr;
  const bool config =
      kind.spec != nullptr && kind.status != nullptr && kind.parameters == nullptr && kind.observation == nullptr;
  if (!managed && !config) {
    problems.Add(*kind.message, "not the shape of a kind",
                 "nested messages Parameters and Observation (a managed resource), or Spec and Status (a configuration)");
    return;
  }
  if (config && kind.options.has_rest())
    problems.Add(*kind.message, "a configuration with rest", "only managed resources are in OpenStack");
  CheckColumns(kind, problems);
  CheckConnection(kind, problems);
  if (managed) {
    CheckRest(kind, problems);
    CheckFields(kinds, *kind.parameters, Place::kForProvider, problems);
    CheckFields(kinds, *kind.observation, Place::kAtProvider, problems);
  } else {
    CheckFields(kinds, *kind.spec, Place::kSpec, problems);
    CheckFields(kinds, *kind.status, Place::kStatus, problems);
  }
}

// kubectl takes one of two kinds by one name without saying so.
void CheckUnique(const Kinds& kinds, Problems& problems) {
  std::map<std::string, std::string> taken;
  for (const Kind& kind : kinds.all()) {
    std::vector<std::string> names(kind.options.short_names().begin(), kind.options.short_names().end());
    names.push_back(kind.plural);
    for (const std::string& name : names) {
      if (const auto [other, is_new] = taken.emplace(name, kind.reference()); !is_new) {
        problems.Add(*kind.message, absl::StrCat(name, " is a name of ", other->second, " already"),
                     "another plural or short name");
      }
    }
  }
}

}  // namespace

std::vector<std::string> Check(const Kinds& kinds) {
  Problems problems;
  for (const FileDescriptor* file : kinds.files()) CheckFile(*file, problems);
  for (const Kind& kind : kinds.all()) CheckKind(kinds, kind, problems);
  CheckUnique(kinds, problems);
  return problems.Take();
}

}  // namespace kupen::apis
