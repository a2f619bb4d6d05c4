#include "test/conformance/steps.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "provider/base/status.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"
#include "yaml-cpp/yaml.h"

namespace kupen::conformance {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

absl::Status Wrong(const YAML::Node& node, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", node.Mark().line + 1, ": ", what));
}

void WriteText(const std::string& text, Writer& writer) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void WriteScalar(const YAML::Node& node, Writer& writer) {
  const std::string& text = node.Scalar();
  const bool quoted = node.Tag() == "!";
  int64_t number = 0;
  if (!quoted && (text == "true" || text == "false")) {
    writer.Bool(text == "true");
  } else if (!quoted && absl::SimpleAtoi(text, &number)) {
    writer.Int64(number);
  } else {
    WriteText(text, writer);
  }
}

void WriteNode(const YAML::Node& node, Writer& writer) {
  if (node.IsMap()) {
    writer.StartObject();
    for (const auto& member : node) {
      WriteText(member.first.Scalar(), writer);
      WriteNode(member.second, writer);
    }
    writer.EndObject();
  } else if (node.IsSequence()) {
    writer.StartArray();
    for (const YAML::Node& item : node) WriteNode(item, writer);
    writer.EndArray();
  } else if (node.IsScalar()) {
    WriteScalar(node, writer);
  } else {
    writer.Null();
  }
}

std::string ToJson(const YAML::Node& node) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  WriteNode(node, writer);
  return buffer.GetString();
}

absl::StatusOr<std::map<std::string, std::string>> ReadTexts(const YAML::Node& node) {
  if (!node.IsMap()) return Wrong(node, "must be a mapping");
  std::map<std::string, std::string> texts;
  for (const auto& member : node) {
    if (!member.second.IsScalar()) return Wrong(member.second, "must be text");
    texts[member.first.Scalar()] = member.second.Scalar();
  }
  return texts;
}

absl::Status ReadSend(const YAML::Node& node, Step& step) {
  const std::vector<std::string> parts = absl::StrSplit(node.Scalar(), absl::MaxSplits(' ', 2));
  if (parts.size() != 3) return Wrong(node, "send: must be a service, a method and a path");
  step.service = parts[0];
  step.method = parts[1];
  step.path = parts[2];
  return absl::OkStatus();
}

absl::Status ReadHeaders(const YAML::Node& node, Step& step) {
  ASSIGN_OR_RETURN(const auto headers, ReadTexts(node));
  for (const auto& [name, value] : headers) {
    if (name == "Content-Type") {
      step.content_type = value;
    } else {
      step.headers.emplace_back(name, value);
    }
  }
  return absl::OkStatus();
}

absl::Status ReadUntil(const YAML::Node& node, Step& step) {
  if (node.IsScalar() && node.Scalar() == "gone") step.until_status = kGone;
  if (node.IsScalar() && node.Scalar() == "busy") step.until_status = kBusy;
  if (step.until_status != 0) return absl::OkStatus();
  if (!node.IsMap()) return Wrong(node, "until: must be values by path, gone or busy");
  for (const auto& member : node) step.until[member.first.Scalar()] = ToJson(member.second);
  return absl::OkStatus();
}

absl::Status ReadMember(const std::string& name, const YAML::Node& node, Step& step) {
  if (name == "name") step.title = node.Scalar();
  if (name == "as") step.as = node.Scalar();
  if (name == "send") return ReadSend(node, step);
  if (name == "headers") return ReadHeaders(node, step);
  if (name == "body") step.body = node.IsScalar() ? node.Scalar() : ToJson(node);
  if (name == "until") return ReadUntil(node, step);
  if (name == "same") {
    for (const YAML::Node& path : node) step.same.push_back(path.Scalar());
  }
  if (name == "keep" || name == "differs") {
    ASSIGN_OR_RETURN((name == "keep" ? step.keep : step.differs), ReadTexts(node));
  }
  constexpr absl::string_view kMembers[] = {"name", "as", "send", "headers", "body", "keep", "until", "same", "differs"};
  if (std::find(std::begin(kMembers), std::end(kMembers), name) == std::end(kMembers)) {
    return Wrong(node, absl::StrCat(name, ": is unknown; see steps.h"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Step> ReadStep(const YAML::Node& node, const YAML::Node& usual_headers) {
  Step step;
  for (const char* required : {"name", "send"}) {
    if (!node[required]) return Wrong(node, absl::StrCat(required, ": is missing"));
  }
  if (!node["headers"] && usual_headers) RETURN_IF_ERROR(ReadHeaders(usual_headers, step));
  for (const auto& member : node) RETURN_IF_ERROR(ReadMember(member.first.Scalar(), member.second, step));
  return step;
}

absl::StatusOr<std::vector<Step>> ReadAll(const YAML::Node& root, const std::string& file) {
  std::vector<Step> steps;
  for (const YAML::Node& node : root["steps"]) {
    ASSIGN_OR_RETURN(Step step, ReadStep(node, root["headers"]));
    step.title = absl::StrCat(file, ":", node.Mark().line + 1, ": ", step.title, " (", step.service, " ", step.method, " ",
                              step.path, ")");
    steps.push_back(std::move(step));
  }
  if (steps.empty()) return absl::InvalidArgumentError("has no steps");
  return steps;
}

}  // namespace

absl::StatusOr<std::vector<Step>> ReadSteps(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename();
  // yaml-cpp throws; only here.
  try {
    absl::StatusOr<std::vector<Step>> steps = ReadAll(YAML::LoadFile(file), name);
    return steps.ok() ? std::move(steps) : Annotate(steps.status(), name);
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", error.what()));
  }
}

std::vector<std::string> RequestFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(KUPEN_REQUESTS)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace kupen::conformance
