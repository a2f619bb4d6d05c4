#include "provider/access/finalizers.h"

#include <algorithm>
#include <vector>

#include "provider/json/json.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace kupen::access {
namespace {

std::vector<std::string> FinalizersOf(const rapidjson::Value& object) {
  const auto list = json::Array(object, {"metadata", "finalizers"});
  std::vector<std::string> finalizers;
  finalizers.reserve(list.Size() + 1);
  for (const rapidjson::Value& finalizer : list) finalizers.emplace_back(json::String(finalizer));
  return finalizers;
}

std::string Patch(const std::vector<std::string>& finalizers) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  writer.StartObject();
  writer.Key("metadata");
  writer.StartObject();
  writer.Key("finalizers");
  writer.StartArray();
  for (const std::string& finalizer : finalizers) writer.String(finalizer.c_str());
  writer.EndArray();
  writer.EndObject();
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

bool HasFinalizer(const rapidjson::Value& object, absl::string_view finalizer) {
  const std::vector<std::string> all = FinalizersOf(object);
  return std::find(all.begin(), all.end(), finalizer) != all.end();
}

std::string WithFinalizer(const rapidjson::Value& object, absl::string_view finalizer) {
  std::vector<std::string> all = FinalizersOf(object);
  all.emplace_back(finalizer);
  return Patch(all);
}

std::string WithoutFinalizer(const rapidjson::Value& object, absl::string_view finalizer) {
  std::vector<std::string> all = FinalizersOf(object);
  std::erase(all, finalizer);
  return Patch(all);
}

}  // namespace kupen::access
