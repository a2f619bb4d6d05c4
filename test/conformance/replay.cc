#include "test/conformance/replay.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "provider/base/clock.h"
#include "provider/base/status.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"

namespace kupen::conformance {
namespace {

// Of a step that asks until something is so.
constexpr int kTries = 300;

bool IsDone(const Reply& reply) { return reply.response.status >= 200 && reply.response.status < 300; }

bool IsVersion(absl::string_view segment) {
  return segment.size() >= 2 && segment[0] == 'v' && absl::ascii_isdigit(static_cast<unsigned char>(segment[1]));
}

// An endpoint's path up to the version ("/volume/v3" of "/volume/v3/1f0…"), and up to what is above it.
std::string UpToVersion(absl::string_view path, bool with_version) {
  std::vector<absl::string_view> segments = absl::StrSplit(path, '/');
  auto end = std::find_if(segments.begin(), segments.end(), IsVersion);
  if (end != segments.end() && with_version) ++end;
  segments.erase(end, segments.end());
  return absl::StrJoin(segments, "/");
}

Reply ReplyOf(http::Response response) {
  Reply reply;
  if (!response.body.empty()) {
    absl::StatusOr<rapidjson::Document> body = json::Parse(response.body);
    if (body.ok()) {
      reply.body = *std::move(body);
    } else {
      reply.body.SetString(response.body.c_str(), reply.body.GetAllocator());
    }
  }
  reply.response = std::move(response);
  return reply;
}

// What a step that asks again is waiting for; empty once it is so.
std::string Awaited(const Step& step, const Reply& reply) {
  if (step.until_status != 0) return reply.response.status == step.until_status ? "" : absl::StrCat("a ", step.until_status);
  for (const auto& [path, wanted] : step.until) {
    const rapidjson::Value* value = At(reply.body, path);
    if (value == nullptr || json::Write(*value) != wanted) return absl::StrCat(path, ": ", wanted);
  }
  return "";
}

// The id of what an answer to a POST tells of, in an envelope or without; empty if it tells of nothing.
std::string CreatedId(const rapidjson::Value& body) {
  if (!body.IsObject()) return "";
  if (const absl::string_view id = json::String(body, {"id"}); !id.empty()) return std::string(id);
  if (body.MemberCount() != 1 || !body.MemberBegin()->value.IsObject()) return "";
  const absl::string_view envelope = json::String(body.MemberBegin()->name);
  return std::string(json::String(body, {envelope, envelope == "keypair" ? "name" : "id"}));
}

}  // namespace

Replay::Replay(ReplayOptions options)
    : options_(std::move(options)),
      transports_(openstack::HttpTransports()),
      demo_(options_.demo, transports_, SystemClock()),
      admin_(options_.admin, transports_, SystemClock()) {
  variables_["run"] = options_.run;
}

std::vector<Reply> Replay::Send(const std::vector<Step>& steps) {
  std::vector<Reply> replies;
  replies.reserve(steps.size());
  for (const Step& step : steps) {
    const absl::StatusOr<Step> filled = Filled(step);
    replies.push_back(filled.ok() ? Perform(*filled) : Reply{.problem = std::string(filled.status().message())});
  }
  return replies;
}

Reply Replay::Perform(const Step& step) {
  Reply reply = Try(step);
  for (int tries = 1; reply.problem.empty() && !Awaited(step, reply).empty(); ++tries) {
    if (tries == kTries) {
      reply.problem = absl::StrCat("waited in vain for ", Awaited(step, reply), "; in the end it is ", reply.response.body);
      break;
    }
    // In a pause, what keeps it busy would end.
    if (step.until_status != kBusy) options_.pause();
    reply = Try(step);
  }
  NoteWhatIsThere(step, reply);
  if (const absl::Status kept = Keep(step, reply); !kept.ok() && reply.problem.empty())
    reply.problem = std::string(kept.message());
  return reply;
}

Reply Replay::Try(const Step& step) {
  absl::StatusOr<http::Response> response = Exchange(step);
  return response.ok() ? ReplyOf(*std::move(response)) : Reply{.problem = response.status().ToString()};
}

absl::StatusOr<http::Response> Replay::Exchange(const Step& step) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const openstack::Token> token, (step.as == "admin" ? admin_ : demo_).GetToken({}));
  ASSIGN_OR_RETURN(const http::Url url, UrlOf(step));
  std::shared_ptr<http::Transport>& connection = connections_[url.Origin()];
  if (connection == nullptr) {
    ASSIGN_OR_RETURN(connection, transports_(url.Origin(), options_.demo.tls));
  }
  http::Headers headers = step.headers;
  headers.emplace_back("Accept", "application/json");
  headers.emplace_back("X-Auth-Token", step.as == "nobody" ? "none" : token->value);
  return connection->Send(
      {.method = step.method, .target = url.path, .headers = headers, .body = step.body, .content_type = step.content_type},
      {});
}

absl::StatusOr<http::Url> Replay::UrlOf(const Step& step) {
  ASSIGN_OR_RETURN(const std::string endpoint, (step.as == "admin" ? admin_ : demo_).EndpointOf(step.service, {}));
  ASSIGN_OR_RETURN(http::Url url, http::ParseUrl(endpoint));
  if (step.path == "/" || step.path == "//") {
    url.path = UpToVersion(url.path, step.path == "/") + "/";
  } else {
    url.path += step.path;
  }
  return url;
}

absl::StatusOr<Step> Replay::Filled(const Step& step) {
  Step filled = step;
  ASSIGN_OR_RETURN(filled.path, Filled(absl::string_view(step.path)));
  ASSIGN_OR_RETURN(filled.body, Filled(absl::string_view(step.body)));
  for (auto& [name, value] : filled.headers) {
    ASSIGN_OR_RETURN(value, Filled(absl::string_view(value)));
  }
  for (auto& [path, value] : filled.until) {
    ASSIGN_OR_RETURN(value, Filled(absl::string_view(value)));
  }
  return filled;
}

absl::StatusOr<std::string> Replay::Filled(absl::string_view text) {
  std::string result;
  for (size_t begin = text.find("${"); begin != absl::string_view::npos; begin = text.find("${")) {
    const size_t end = text.find('}', begin);
    if (end == absl::string_view::npos) break;
    ASSIGN_OR_RETURN(const std::string value, Variable(std::string(text.substr(begin + 2, end - begin - 2))));
    absl::StrAppend(&result, text.substr(0, begin), value);
    text.remove_prefix(end + 1);
  }
  return absl::StrCat(result, text);
}

absl::StatusOr<std::string> Replay::Variable(const std::string& name) {
  const auto found = variables_.find(name);
  if (found != variables_.end()) return found->second;
  if (!absl::StartsWith(name, "uuid-")) return absl::NotFoundError(absl::StrCat("no step before has kept ${", name, "}"));
  return variables_[name] = NewUuid();
}

absl::Status Replay::Keep(const Step& step, const Reply& reply) {
  for (const auto& [name, path] : step.keep) {
    const rapidjson::Value* value = At(reply.body, path);
    const absl::string_view text = value != nullptr ? json::String(*value) : http::Find(reply.response.headers, path);
    if (text.empty()) return absl::NotFoundError(absl::StrCat("has no ", path, " to keep"));
    variables_[name] = std::string(text);
  }
  return absl::OkStatus();
}

void Replay::NoteWhatIsThere(const Step& step, const Reply& reply) {
  if (!IsDone(reply)) return;
  if (step.method == "DELETE") {
    std::erase_if(removals_, [&](const Step& removal) { return removal.service == step.service && removal.path == step.path; });
  }
  const std::string id = step.method == "POST" ? CreatedId(reply.body) : "";
  if (id.empty()) return;
  Step removal = {.title = step.title, .as = step.as, .service = step.service, .method = "DELETE"};
  removal.path = absl::StrCat(step.path, "/", id);
  removal.headers = step.headers;
  removals_.push_back(std::move(removal));
}

std::vector<std::string> Replay::CleanUp() {
  std::vector<std::string> left;
  // The last first: it may need what was there before.
  for (auto removal = removals_.rbegin(); removal != removals_.rend(); ++removal) {
    Reply reply = Try(*removal);
    // Something else took it along.
    if (reply.response.status == kGone) continue;
    left.push_back(absl::StrCat(removal->title, ": is still there"));
    for (int tries = 1; !IsDone(reply) && reply.response.status != kGone && tries < kTries; ++tries) {
      options_.pause();
      reply = Try(*removal);
    }
  }
  removals_.clear();
  return left;
}

}  // namespace kupen::conformance
