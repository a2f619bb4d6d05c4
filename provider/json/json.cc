#include "provider/json/json.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "rapidjson/error/en.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace kupen::json {
namespace {

// Far more than any schema has. Who copies, compares or writes a value does so by recursion.
constexpr int kDeepest = 500;

// Neither too deep nor with a number that is too large: RapidJSON reads 1e400 in some spellings as infinity, and writes nothing
// for that.
bool CanBeWritten(const rapidjson::Value& value, int levels) {
  if (value.IsDouble()) return std::isfinite(value.GetDouble());
  if (!value.IsArray() && !value.IsObject()) return true;
  if (levels == 0) return false;
  if (value.IsArray()) {
    return std::all_of(value.Begin(), value.End(), [&](const auto& item) { return CanBeWritten(item, levels - 1); });
  }
  return std::all_of(value.MemberBegin(), value.MemberEnd(),
                     [&](const auto& member) { return CanBeWritten(member.value, levels - 1); });
}

}  // namespace

absl::StatusOr<rapidjson::Document> Parse(absl::string_view text) {
  rapidjson::Document document;
  // Not recursive: how deep an answer nests is the sender's choice, and our stack is not his. Without
  // kParseFullPrecisionFlag, which reads 0e300 as any number: so the last digit of a fraction may be another.
  document.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (!document.HasParseError()) {
    if (CanBeWritten(document, kDeepest)) return document;
    return absl::InvalidArgumentError(
        absl::StrCat("not JSON as anybody writes it: deeper than ", kDeepest, " levels, or with a number that is too large"));
  }

  const absl::string_view before = text.substr(0, document.GetErrorOffset());
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t line_start = before.rfind('\n');
  const size_t column = before.size() - (line_start == absl::string_view::npos ? 0 : line_start + 1) + 1;
  return absl::InvalidArgumentError(
      absl::StrCat("not JSON: line ", line, ", column ", column, ": ", rapidjson::GetParseError_En(document.GetParseError())));
}

const rapidjson::Value* Find(const rapidjson::Value& root, std::initializer_list<absl::string_view> path) {
  const rapidjson::Value* value = &root;
  for (const absl::string_view name : path) {
    if (!value->IsObject()) return nullptr;
    const auto member =
        value->FindMember(rapidjson::Value(rapidjson::StringRef(name.data(), static_cast<rapidjson::SizeType>(name.size()))));
    if (member == value->MemberEnd()) return nullptr;
    value = &member->value;
  }
  return value;
}

absl::string_view String(const rapidjson::Value& root, std::initializer_list<absl::string_view> path) {
  const rapidjson::Value* value = Find(root, path);
  if (value == nullptr || !value->IsString()) return "";
  return {value->GetString(), value->GetStringLength()};
}

rapidjson::Value::ConstArray Array(const rapidjson::Value& root, std::initializer_list<absl::string_view> path) {
  static const rapidjson::Value kEmpty(rapidjson::kArrayType);
  const rapidjson::Value* value = Find(root, path);
  return value == nullptr || !value->IsArray() ? kEmpty.GetArray() : value->GetArray();
}

bool IsEmpty(const rapidjson::Value& value) {
  return value.IsNull() || (value.IsString() && value.GetStringLength() == 0) || (value.IsArray() && value.Empty()) ||
         (value.IsObject() && value.ObjectEmpty());
}

rapidjson::Value Text(absl::string_view text, Allocator& allocator) {
  return rapidjson::Value(text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator);
}

void Set(rapidjson::Value& object, absl::string_view name, rapidjson::Value value, Allocator& allocator) {
  const auto member =
      object.FindMember(rapidjson::Value(rapidjson::StringRef(name.data(), static_cast<rapidjson::SizeType>(name.size()))));
  if (member != object.MemberEnd()) {
    member->value = value;
  } else {
    object.AddMember(Text(name, allocator), value, allocator);
  }
}

void Set(rapidjson::Value& object, absl::string_view name, absl::string_view text, Allocator& allocator) {
  Set(object, name, Text(text, allocator), allocator);
}

std::string Write(const rapidjson::Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace kupen::json
