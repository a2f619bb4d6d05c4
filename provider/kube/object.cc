#include "provider/kube/object.h"

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "provider/json/json.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace kupen::kube {
namespace {

constexpr absl::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

absl::string_view Text(const rapidjson::Value& value) { return {value.GetString(), value.GetStringLength()}; }

}  // namespace

// Writes an object, and notes where things are.
class Object::Writer {
 public:
  explicit Writer(Object& object) : object_(object), writer_(buffer_) {}

  void Write(const rapidjson::Value& value) {
    writer_.StartObject();
    for (const auto& member : value.GetObject()) {
      WriteKey(member.name);
      if (Text(member.name) == "metadata" && member.value.IsObject()) {
        WriteMetadata(member.value);
      } else {
        member.value.Accept(writer_);
      }
    }
    writer_.EndObject();
    object_.json_.assign(buffer_.GetString(), buffer_.GetSize());
  }

 private:
  void WriteKey(const rapidjson::Value& name) { writer_.Key(name.GetString(), name.GetStringLength()); }

  void WriteMetadata(const rapidjson::Value& metadata) {
    writer_.StartObject();
    for (const auto& member : metadata.GetObject()) {
      if (Text(member.name) != "managedFields") WriteMetadataMember(Text(member.name), member.name, member.value);
    }
    writer_.EndObject();
  }

  void WriteMetadataMember(absl::string_view name, const rapidjson::Value& key, const rapidjson::Value& value) {
    if (name == "annotations" && value.IsObject()) return WriteAnnotations(key, value);
    WriteKey(key);
    // The writer puts the colon before the value, not after the key.
    const size_t begin = buffer_.GetSize() + 1;
    value.Accept(writer_);
    const Span span{static_cast<uint32_t>(begin), static_cast<uint32_t>(buffer_.GetSize() - begin)};
    // None of these can have a character that JSON escapes.
    const Span inside{span.begin + 1, span.size - 2};
    if (name == "name" && value.IsString()) object_.name_ = inside;
    if (name == "namespace" && value.IsString()) object_.ns_ = inside;
    if (name == "uid" && value.IsString()) object_.uid_ = inside;
    if (name == "resourceVersion" && value.IsString()) object_.resource_version_ = inside;
    if (name == "labels" && value.IsObject()) object_.labels_ = span;
    if (name == "generation" && value.IsInt64()) object_.generation_ = value.GetInt64();
    if (name == "deletionTimestamp") object_.deleting_ = !value.IsNull();
  }

  void WriteAnnotations(const rapidjson::Value& key, const rapidjson::Value& annotations) {
    if (annotations.MemberCount() == 1 && Text(annotations.MemberBegin()->name) == kLastApplied) return;
    WriteKey(key);
    writer_.StartObject();
    for (const auto& member : annotations.GetObject()) {
      if (Text(member.name) == kLastApplied) continue;
      WriteKey(member.name);
      member.value.Accept(writer_);
    }
    writer_.EndObject();
  }

  Object& object_;
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_;
};

absl::StatusOr<ObjectPtr> Object::From(const rapidjson::Value& object) {
  if (json::String(object, {"metadata", "name"}).empty()) return absl::InvalidArgumentError("an object without metadata.name");
  Object result;
  Writer(result).Write(object);
  return std::make_shared<const Object>(std::move(result));
}

std::string Object::Label(absl::string_view name) const {
  if (labels_.size == 0) return "";
  // Labels are small, and asked for often: the default document would begin with 64 KiB.
  std::array<char, 4096> memory;
  rapidjson::MemoryPoolAllocator<> allocator(memory.data(), memory.size());
  rapidjson::Document labels(&allocator, /*stackCapacity=*/512);
  const absl::string_view text = At(labels_);
  labels.Parse(text.data(), text.size());
  return std::string(json::String(labels, {name}));
}

}  // namespace kupen::kube
