#include "test/simulator/call.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"

namespace kupen::simulator {

const Account* World::AccountOf(const Caller& caller) const {
  const auto found = std::find_if(options.accounts.begin(), options.accounts.end(),
                                  [&](const Account& account) { return account.project == caller.project_name; });
  return found == options.accounts.end() ? nullptr : &*found;
}

absl::string_view Call::Query(absl::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(), [&](const auto& parameter) { return parameter.first == name; });
  return found == query.end() ? absl::string_view() : absl::string_view(found->second);
}

bool Call::HasQuery(absl::string_view name) const {
  return std::any_of(query.begin(), query.end(), [&](const auto& parameter) { return parameter.first == name; });
}

const rapidjson::Value* Call::Envelope(absl::string_view name) const {
  const rapidjson::Value* inner = json::Find(body, {name});
  return inner != nullptr && inner->IsObject() ? inner : nullptr;
}

void Call::Later(absl::Duration after, Schedule::Action action) const {
  if (faults.stuck) {
    world->schedule.Hold(std::move(action));
  } else {
    world->schedule.At(world->Now() + after, std::move(action));
  }
}

Json& Json::Key(absl::string_view name) {
  writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  return *this;
}

Json& Json::Text(absl::string_view name, absl::string_view text) {
  Key(name);
  writer_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  return *this;
}

Json& Json::Value(absl::string_view name, const rapidjson::Value& value) {
  Key(name);
  value.Accept(writer_);
  return *this;
}

Answer JsonAnswer(int status, std::string body) {
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body)};
}

std::string Unescape(absl::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() &&
                        absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 1])) &&
                        absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 2]));
    if (!escape) {
      result += text[i];
      continue;
    }
    result += absl::HexStringToBytes(text.substr(i + 1, 2));
    i += 2;
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> ParseQuery(absl::string_view text) {
  std::vector<std::pair<std::string, std::string>> query;
  for (const absl::string_view part : absl::StrSplit(text, '&', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> pair =
        absl::StrSplit(absl::StrReplaceAll(part, {{"+", " "}}), absl::MaxSplits('=', 1));
    query.emplace_back(Unescape(pair.first), Unescape(pair.second));
  }
  return query;
}

std::string TimeText(absl::Time time) { return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone()); }

std::string LongTimeText(absl::Time time) { return absl::FormatTime("%Y-%m-%dT%H:%M:%S.000000", time, absl::UTCTimeZone()); }

std::string NewHexId() { return absl::StrReplaceAll(NewUuid(), {{"-", ""}}); }

bool IsUuid(absl::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !absl::ascii_isxdigit(static_cast<unsigned char>(text[i]))) return false;
  }
  return true;
}

}  // namespace kupen::simulator
