#include "provider/managed/object_writer.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/json/json.h"

namespace kupen::managed {
namespace {

using rapidjson::Document;
using rapidjson::Value;

Value FinalizersOf(const Value& object, bool with_ours, json::Allocator& allocator) {
  Value list(rapidjson::kArrayType);
  for (const Value& finalizer : json::Array(object, {"metadata", "finalizers"})) {
    if (json::String(finalizer) != kFinalizer) list.PushBack(Value(finalizer, allocator), allocator);
  }
  if (with_ours) list.PushBack(json::Text(kFinalizer, allocator), allocator);
  return list;
}

void SetAnnotations(Value& metadata, const Annotations& annotations, json::Allocator& allocator) {
  if (annotations.empty()) return;
  Value map(rapidjson::kObjectType);
  for (const auto& [name, value] : annotations) json::Set(map, name, value, allocator);
  json::Set(metadata, "annotations", std::move(map), allocator);
}

absl::Status Take(absl::StatusOr<Document> answer, LiveObject& object) {
  RETURN_IF_ERROR(answer.status());
  ASSIGN_OR_RETURN(kube::ObjectPtr stored, kube::Object::From(*answer));
  ASSIGN_OR_RETURN(object, ParseObject(std::move(stored)));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LiveObject> ParseObject(kube::ObjectPtr stored) {
  ASSIGN_OR_RETURN(Document json, json::Parse(stored->json()));
  return LiveObject{.stored = std::move(stored), .json = std::move(json)};
}

bool HasFinalizer(const Value& object) {
  return absl::c_any_of(json::Array(object, {"metadata", "finalizers"}),
                        [](const Value& finalizer) { return json::String(finalizer) == kFinalizer; });
}

absl::string_view Annotation(const Value& object, absl::string_view name) {
  return json::String(object, {"metadata", "annotations", name});
}

std::optional<absl::Time> Timestamp(const Value& object, absl::string_view name) {
  absl::Time time;
  if (!absl::ParseTime(absl::RFC3339_full, json::String(object, {"metadata", name}), &time, nullptr)) return std::nullopt;
  return time;
}

absl::Status ObjectWriter::AddFinalizer(LiveObject& object, const Annotations& annotations) const {
  Document metadata(rapidjson::kObjectType);
  json::Set(metadata, "finalizers", FinalizersOf(object.json, true, metadata.GetAllocator()), metadata.GetAllocator());
  SetAnnotations(metadata, annotations, metadata.GetAllocator());
  return PatchMetadata(object, metadata, /*only_this_version=*/true);
}

absl::Status ObjectWriter::RemoveFinalizer(LiveObject& object) const {
  Document metadata(rapidjson::kObjectType);
  json::Set(metadata, "finalizers", FinalizersOf(object.json, false, metadata.GetAllocator()), metadata.GetAllocator());
  return PatchMetadata(object, metadata, /*only_this_version=*/true);
}

absl::Status ObjectWriter::Annotate(LiveObject& object, const Annotations& annotations) const {
  Document metadata(rapidjson::kObjectType);
  SetAnnotations(metadata, annotations, metadata.GetAllocator());
  return PatchMetadata(object, metadata, /*only_this_version=*/false);
}

absl::Status ObjectWriter::PatchMetadata(LiveObject& object, Document& metadata, bool only_this_version) const {
  // The UID in a patch is a condition: another object of the same name is left alone.
  json::Set(metadata, "uid", object.stored->uid(), metadata.GetAllocator());
  const std::string patch = absl::StrCat("{\"metadata\":", json::Write(metadata), "}");
  kube::WriteOptions options;
  if (only_this_version) options.resource_version = std::string(object.stored->resource_version());
  return Take(client_.MergePatch(kind_.resource, object.stored->key(), patch, options, stop_), object);
}

absl::Status ObjectWriter::SetStatus(LiveObject& object, const Value& status) const {
  const Value* before = json::Find(object.json, {"status"});
  if (before != nullptr && *before == status) return absl::OkStatus();
  const std::string patch = absl::StrCat(R"([{"op":"test","path":"/metadata/uid","value":")", object.stored->uid(),
                                         R"("},{"op":"add","path":"/status","value":)", json::Write(status), "}]");
  return Take(client_.JsonPatch(kind_.resource, object.stored->key(), patch, "status", stop_), object);
}

}  // namespace kupen::managed
