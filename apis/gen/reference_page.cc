#include "apis/gen/reference_page.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "apis/gen/comments.h"
#include "apis/model/references.h"

namespace kupen::apis {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;

// Text inside a cell of a table.
std::string Cell(absl::string_view text) { return absl::StrReplaceAll(text, {{"|", "\\|"}, {"\n", "<br>"}}); }

std::string TypeOf(const FieldDescriptor& field) {
  const FieldDescriptor& value = field.is_map() ? *field.message_type()->map_value() : field;
  std::string type;
  switch (value.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      type = "boolean";
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      type = "integer";
      break;
    case FieldDescriptor::CPPTYPE_MESSAGE:
      type = "object";
      break;
    default:
      type = "string";
  }
  if (field.is_map()) return absl::StrCat("map of ", type);
  return field.is_repeated() ? absl::StrCat("list of ", type) : type;
}

// What the options say, in the user's words.
std::string NotesOf(const FieldDescriptor& field) {
  const options::v1::Field& options = OptionsOf(field);
  std::vector<std::string> notes;
  if (options.required()) notes.push_back("required");
  if (options.immutable()) notes.push_back("fixed once it exists");
  if (options.replaces()) notes.push_back("a change [replaces](#replace)");
  if (options.sensitive()) notes.push_back("secret");
  if (options.values_size() > 0) notes.push_back(absl::StrCat("`", absl::StrJoin(options.values(), "`, `"), "`"));
  if (!options.default_().empty()) notes.push_back(absl::StrCat("default `", options.default_(), "`"));
  if (options.has_min() && options.has_max()) notes.push_back(absl::StrCat(options.min(), "–", options.max()));
  if (!options.format().empty()) notes.push_back(options.format());
  if (!options.pattern().empty()) notes.push_back(absl::StrCat("`", options.pattern(), "`"));
  if (options.max_length() > 0) notes.push_back(absl::StrCat("≤ ", options.max_length(), " characters"));
  if (options.max_items() > 0) notes.push_back(absl::StrCat("≤ ", options.max_items(), " items"));
  return absl::StrJoin(notes, ", ");
}

void AppendRows(const Descriptor& message, const std::string& prefix, std::string& out) {
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    std::string name = absl::StrCat("`", prefix, field.json_name(), "`");
    if (const auto members = ReferenceMembersOf(field); members.has_value()) {
      name = absl::StrCat("`", prefix, absl::StrJoin(members->all(), absl::StrCat("` or `", prefix)), "`");
    }
    absl::StrAppend(&out, "| ", name, " | ", TypeOf(field), " | ", Cell(NotesOf(field)), " | ", Cell(Description(field)),
                    " |\n");
    if (!field.is_map() && field.message_type() != nullptr) {
      AppendRows(*field.message_type(), absl::StrCat(prefix, field.json_name(), field.is_repeated() ? "[]." : "."), out);
    }
  }
}

void AppendTable(absl::string_view title, const Descriptor& message, std::string& out) {
  absl::StrAppend(&out, "\n**", title, "**\n\n| field | type | | meaning |\n|---|---|---|---|\n");
  AppendRows(message, "", out);
}

void AppendKind(const ReferenceEntry& entry, std::string& out) {
  const Kind& kind = *entry.kind;
  absl::StrAppend(&out, "\n## ", kind.name, "\n\n", absl::StrReplaceAll(Description(*kind.message), {{"\n", "\n\n"}}), "\n\n");
  absl::StrAppend(&out, "`", kind.group, "/", kind.version, "`, ",
                  kind.options.cluster_scoped() ? "cluster-scoped" : "namespaced");
  absl::StrAppend(&out, "; `kubectl get ", kind.plural, "`");
  for (const std::string& name : kind.options.short_names()) absl::StrAppend(&out, ", `", name, "`");
  absl::StrAppend(&out, "\n");
  AppendTable(kind.managed() ? "spec.forProvider" : "spec", kind.managed() ? *kind.parameters : *kind.spec, out);
  AppendTable(kind.managed() ? "status.atProvider" : "status", kind.managed() ? *kind.observation : *kind.status, out);
  if (kind.options.connection_size() > 0) {
    absl::StrAppend(&out, "\nThe connection secret also has `", absl::StrJoin(kind.options.connection(), "`, `"), "`.\n");
  }
  absl::StrAppend(&out, "\n**Example** ([", entry.example_path, "](../../", entry.example_path, "))\n\n```yaml\n",
                  entry.example, "```\n");
}

constexpr absl::string_view kManagedNotes = R"(
Every kind here also has, in `spec`: `initProvider` (the same parameters, used only at creation), `managementPolicies` (default `["*"]`),
`providerConfigRef` (default `{kind: ClusterProviderConfig, name: default}`), `writeConnectionSecretToRef` (a Secret that gets `id`,
`region` and, of what has an address, `endpoint`) and `replacePolicy`; and in `status`: `conditions`, `observedGeneration`,
`lastHandledReconcileAt`, `references` (what was resolved to which id), `federation`, and `atProvider.id`, which is there exactly as long
as the object exists in the cloud.

Where a parameter has several names it refers to another object, and one of them is given: `…ID`, its id in the cloud; `…Ref`, a managed
resource in the same namespace by its name; `…Selector`, one by its labels; `…Name`, something that the cloud already has, by its exact
name, which must be the only one that the credentials can see. In lists (`…IDs`, `…Refs`, `…Selector`, `…Names`) they add up.

<a id="replace"></a>Parameters that the cloud cannot change: with `replacePolicy: Never` (the default) a change waits, and the condition
`Synced` says which one; with `WhenRequired` the object in the cloud is deleted and created anew. Parameters that are *fixed once it
exists* are refused by the API server from then on, not before.
)";

}  // namespace

std::string ReferencePage(absl::string_view title, const std::vector<ReferenceEntry>& entries) {
  std::string out = "<!-- Generated from apis/ by apis/gen. Change the .proto or the example, then: make generate -->\n";
  absl::StrAppend(&out, "# Reference: ", title, "\n\n");
  for (const ReferenceEntry& entry : entries) {
    absl::StrAppend(&out, "- [", entry.kind->name, "](#", absl::AsciiStrToLower(entry.kind->name), ")\n");
  }
  if (entries.front().kind->managed()) absl::StrAppend(&out, kManagedNotes);
  for (const ReferenceEntry& entry : entries) AppendKind(entry, out);
  return out;
}

}  // namespace kupen::apis
