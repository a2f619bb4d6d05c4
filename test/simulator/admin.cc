// What a running simulator is told and asked under /simulator.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/simulator/simulator.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

Answer Wrong(const absl::Status& status) {
  Json out;
  out.writer().StartObject();
  out.Text("message", status.message()).writer().EndObject();
  return JsonAnswer(400, out.Take());
}

// Where controllers leave what says whose an object is: the first text with "kupen:" in it.
std::string MarkerIn(const Value& body) {
  constexpr absl::string_view kMark = "kupen:";
  const auto has_mark = [&](absl::string_view text) { return absl::StrContains(text, kMark); };
  if (const absl::string_view text = json::String(body, {"description"}); has_mark(text)) return std::string(text);
  for (const Value& tag : json::Array(body, {"tags"})) {
    if (has_mark(json::String(tag))) return std::string(json::String(tag));
  }
  const Value* metadata = json::Find(body, {"metadata"});
  if (metadata == nullptr || !metadata->IsObject()) return "";
  for (const auto& member : metadata->GetObject()) {
    if (has_mark(json::String(member.value))) return std::string(json::String(member.value));
  }
  return "";
}

void WriteBrief(Json& out, const Object& object) {
  absl::string_view status = object.Text("status");
  if (status.empty()) status = object.Text("provisioning_status");
  out.writer().StartObject();
  out.Text("id", object.id()).Text("name", object.Text("name")).Text("project", object.project());
  out.Text("status", status).Text("marker", MarkerIn(object.body()));
  out.writer().EndObject();
}

}  // namespace

Answer Simulator::HandleAdmin(absl::string_view path, const http::Request& request) {
  absl::StatusOr<rapidjson::Document> body = rapidjson::Document();
  if (!request.body.empty()) body = json::Parse(request.body);
  if (!body.ok()) return Wrong(body.status());
  const std::string& method = request.method;
  if (path == "/faults" && method == "GET") return JsonAnswer(200, WriteFaults(world_.faults.faults()));
  if (path == "/faults" && (method == "PUT" || method == "POST")) {
    absl::StatusOr<std::vector<Fault>> faults = ParseFaults(*body);
    if (!faults.ok()) return Wrong(faults.status());
    if (method == "PUT") {
      world_.faults.Replace(*std::move(faults));
      world_.schedule.Release(world_.Now());
    } else {
      for (Fault& fault : *faults) world_.faults.Add(std::move(fault));
    }
    return JsonAnswer(200, WriteFaults(world_.faults.faults()));
  }
  if (path == "/faults" && method == "DELETE") {
    world_.faults.Replace({});
    world_.schedule.Release(world_.Now());
    return {.status = 204};
  }
  if (path == "/settings" && method == "PUT") {
    const absl::Status changed = ChangeSettings(*body);
    return changed.ok() ? Answer{.status = 204} : Wrong(changed);
  }
  if (path == "/tokens/expire" && method == "POST") {
    keystone_->ExpireTokens();
    return {.status = 204};
  }
  if (path == "/requests" && method == "GET") return JsonAnswer(200, log_.Write());
  if (path == "/requests" && method == "DELETE") {
    log_.Reset();
    return {.status = 204};
  }
  if (path == "/objects" && method == "GET") return WriteObjects(request);
  return JsonAnswer(404, R"({"message":"there are faults, settings, tokens/expire, requests and objects; see simulator.h"})");
}

Answer Simulator::WriteObjects(const http::Request& request) const {
  Call call;
  if (const size_t question = request.target.find('?'); question != std::string::npos) {
    call.query = ParseQuery(absl::string_view(request.target).substr(question + 1));
  }
  Json out;
  out.writer().StartObject();
  for (const auto& [name, collection] : world_.store) {
    if (call.HasQuery("collection") && call.Query("collection") != name) continue;
    out.Key(name).writer().StartArray();
    for (const auto& [order, object] : collection.rows()) {
      if (call.Query("full") == "true") {
        object->body().Accept(out.writer());
      } else {
        WriteBrief(out, *object);
      }
    }
    out.writer().EndArray();
  }
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

absl::Status Simulator::ChangeSettings(const Value& settings) {
  if (!settings.IsObject()) return absl::InvalidArgumentError("settings must be an object such as {\"latency\": \"50ms\"}");
  SimulatorOptions changed = world_.options;
  const std::vector<std::pair<absl::string_view, absl::Duration*>> known = {
      {"latency", &changed.latency},
      {"buildTime", &changed.build_time},
      {"actionTime", &changed.action_time},
      {"deleteTime", &changed.delete_time},
      {"saveTime", &changed.save_time},
      {"volumeTime", &changed.volume_time},
      {"balancerTime", &changed.balancer_time},
      {"tokenLife", &changed.token_life},
  };
  for (const auto& member : settings.GetObject()) {
    const absl::string_view name = json::String(member.name);
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == name; });
    if (found == known.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, ": is unknown; there are ",
          absl::StrJoin(known, ", ", [](std::string* text, const auto& one) { absl::StrAppend(text, one.first); })));
    }
    if (!absl::ParseDuration(std::string(json::String(member.value)), found->second)) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": is ", json::Write(member.value), ", but must be a duration such as \"50ms\""));
    }
  }
  world_.options = std::move(changed);
  return absl::OkStatus();
}

}  // namespace kupen::simulator
