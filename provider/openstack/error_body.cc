#include "provider/openstack/error_body.h"

#include <array>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "provider/json/json.h"

namespace kupen::openstack {
namespace {

// The text of a page. webob's put the reason in the title and the message in the body, with the reason once more as heading.
std::string FromHtml(absl::string_view page) {
  const size_t title_end = page.find("</h1>");
  if (title_end != absl::string_view::npos) page.remove_prefix(title_end);
  std::string text;
  bool in_tag = false;
  for (const char c : page) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c != '>') continue;
    in_tag = false;
    text += ' ';
  }
  return absl::StrReplaceAll(text,
                             {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#x27;", "'"}, {"&#39;", "'"}, {"&amp;", "&"}});
}

// What the services call their message, the most telling first.
constexpr std::array<absl::string_view, 5> kMessages = {"message", "faultstring", "detail", "description", "title"};

std::string MessageOf(const rapidjson::Value& object) {
  for (const absl::string_view name : kMessages) {
    const absl::string_view text = absl::StripAsciiWhitespace(json::String(object, {name}));
    if (!text.empty()) return std::string(text);
  }
  return "";
}

ErrorBody FromJson(const rapidjson::Value& root) {
  // Placement and others by the API guidelines: {"errors": [{"code", "title", "detail"}]}.
  for (const rapidjson::Value& error : json::Array(root, {"errors"})) {
    return {.message = MessageOf(error), .type = std::string(json::String(error, {"code"}))};
  }
  // Octavia: {"faultcode", "faultstring"}; Glance, Designate and others: {"message"}.
  if (std::string message = MessageOf(root); !message.empty()) {
    return {.message = std::move(message), .type = std::string(json::String(root, {"type"}))};
  }
  // All others wrap it: {"badRequest": {…}}, {"NeutronError": {…}}, {"error": {…}}. Neutron's is sometimes just text.
  if (!root.IsObject()) return {};
  for (const auto& member : root.GetObject()) {
    if (member.value.IsString()) return {.message = std::string(json::String(member.value)), .type = ""};
    if (std::string message = MessageOf(member.value); !message.empty()) {
      return {.message = std::move(message), .type = std::string(json::String(member.value, {"type"}))};
    }
  }
  return {};
}

}  // namespace

ErrorBody ParseErrorBody(absl::string_view body) {
  const absl::string_view text = absl::StripAsciiWhitespace(body);
  if (absl::StartsWith(text, "{")) {
    if (const auto parsed = json::Parse(text); parsed.ok()) return FromJson(*parsed);
  }
  if (absl::StartsWith(text, "<")) return {.message = FromHtml(text), .type = ""};
  return {.message = std::string(text), .type = ""};
}

}  // namespace kupen::openstack
