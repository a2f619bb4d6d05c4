#include "test/simulator/faults.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "provider/base/status.h"
#include "provider/json/json.h"

namespace kupen::simulator {
namespace {

using Effect = Fault::Effect;

struct EffectName {
  absl::string_view name;
  Effect effect;
};
constexpr std::array kEffects = {
    EffectName{"delay", Effect::kDelay},
    EffectName{"refuse", Effect::kRefuse},
    EffectName{"refuse-after", Effect::kRefuseAfter},
    EffectName{"drop", Effect::kDrop},
    EffectName{"drop-after", Effect::kDropAfter},
    EffectName{"stuck", Effect::kStuck},
    EffectName{"fail", Effect::kFail},
    EffectName{"lost-role", Effect::kLostRole},
    EffectName{"down-cell", Effect::kDownCell},
};

absl::string_view NameOf(Effect effect) {
  return std::find_if(kEffects.begin(), kEffects.end(), [&](const EffectName& one) { return one.effect == effect; })->name;
}

bool FitsPattern(absl::string_view pattern, absl::string_view text) {
  if (pattern.empty()) return true;
  const std::vector<absl::string_view> parts = absl::StrSplit(pattern, '*');
  if (parts.size() == 1) return pattern == text;
  if (!absl::ConsumePrefix(&text, parts.front()) || !absl::EndsWith(text, parts.back())) return false;
  text.remove_suffix(parts.back().size());
  for (size_t i = 1; i + 1 < parts.size(); ++i) {
    const size_t found = text.find(parts[i]);
    if (found == absl::string_view::npos) return false;
    text.remove_prefix(found + parts[i].size());
  }
  return true;
}

bool Fits(absl::string_view wanted, absl::string_view given) { return wanted.empty() || wanted == given; }

void Take(const Fault& fault, FaultEffects& effects) {
  switch (fault.effect) {
    case Effect::kDelay:
      effects.delay += fault.delay;
      break;
    case Effect::kRefuse:
      effects.refuse = fault.status;
      effects.retry_after = fault.retry_after;
      break;
    case Effect::kRefuseAfter:
      effects.refuse_after = fault.status;
      effects.retry_after = fault.retry_after;
      break;
    case Effect::kDrop:
      effects.drop = true;
      break;
    case Effect::kDropAfter:
      effects.drop_after = true;
      break;
    case Effect::kStuck:
      effects.stuck = true;
      break;
    case Effect::kFail:
      effects.fail = true;
      break;
    case Effect::kLostRole:
      effects.hidden_share = std::max(effects.hidden_share, fault.share);
      break;
    case Effect::kDownCell:
      effects.down_cells.push_back(fault.cell);
      break;
  }
}

absl::Status ParseMember(absl::string_view name, const rapidjson::Value& value, Fault& fault) {
  const auto wants = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": is ", json::Write(value), ", but must be ", what));
  };
  for (const auto& [text_name, field] : {std::pair<absl::string_view, std::string*>{"service", &fault.service},
                                         {"method", &fault.method},
                                         {"path", &fault.path},
                                         {"user", &fault.user}}) {
    if (name != text_name) continue;
    if (!value.IsString()) return wants("text");
    *field = std::string(json::String(value));
    return absl::OkStatus();
  }
  for (const auto& [number_name, field] : {std::pair<absl::string_view, int*>{"times", &fault.times},
                                           {"skip", &fault.skip},
                                           {"status", &fault.status},
                                           {"retryAfter", &fault.retry_after},
                                           {"cell", &fault.cell},
                                           {"share", &fault.share},
                                           {"hits", &fault.hits}}) {
    if (name != number_name) continue;
    if (!value.IsInt()) return wants("a number");
    *field = value.GetInt();
    return absl::OkStatus();
  }
  if (name == "effect") {
    const auto found =
        std::find_if(kEffects.begin(), kEffects.end(), [&](const EffectName& one) { return one.name == json::String(value); });
    if (found == kEffects.end()) {
      return wants(absl::StrCat("one of ", absl::StrJoin(kEffects, ", ", [](std::string* out, const EffectName& one) {
                                  absl::StrAppend(out, one.name);
                                })));
    }
    fault.effect = found->effect;
    return absl::OkStatus();
  }
  if (name == "probability") {
    if (!value.IsNumber()) return wants("a number from 0 to 1");
    fault.probability = value.GetDouble();
    return absl::OkStatus();
  }
  if (name == "delay") {
    if (!absl::ParseDuration(std::string(json::String(value)), &fault.delay)) return wants("a duration such as \"50ms\"");
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name,
                   ": is unknown; there are effect, service, method, path, user, times, skip, probability, status, "
                   "retryAfter, delay, cell, share"));
}

}  // namespace

bool FaultEffects::Hides(absl::string_view id) const {
  if (hidden_share <= 0) return false;
  if (hidden_share >= 100) return true;
  // Always the same ones.
  uint32_t hash = 2166136261U;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return static_cast<int>(hash % 100) < hidden_share;
}

bool FaultEffects::IsDown(int cell) const { return std::find(down_cells.begin(), down_cells.end(), cell) != down_cells.end(); }

FaultEffects FaultPlan::Apply(absl::string_view service, absl::string_view method, absl::string_view path,
                              absl::string_view user) {
  FaultEffects effects;
  for (Fault& fault : faults_) {
    if (!Fits(fault.service, service) || !Fits(fault.method, method) || !Fits(fault.user, user)) continue;
    if (!FitsPattern(fault.path, path) || !Strikes(fault)) continue;
    Take(fault, effects);
  }
  return effects;
}

bool FaultPlan::Strikes(Fault& fault) {
  if (fault.times >= 0 && fault.hits >= fault.times) return false;
  if (fault.skip > 0) {
    --fault.skip;
    return false;
  }
  if (fault.probability < 1.0 && std::uniform_real_distribution<>(0.0, 1.0)(random_) >= fault.probability) return false;
  ++fault.hits;
  return true;
}

absl::StatusOr<std::vector<Fault>> ParseFaults(const rapidjson::Value& document) {
  const rapidjson::Value* list = json::Find(document, {"faults"});
  if (list == nullptr || !list->IsArray()) return absl::InvalidArgumentError("a list \"faults\" is missing");
  std::vector<Fault> faults;
  faults.reserve(list->Size());
  for (const rapidjson::Value& item : list->GetArray()) {
    const std::string where = absl::StrCat("faults[", faults.size(), "]");
    Fault& fault = faults.emplace_back();
    if (!item.IsObject()) return absl::InvalidArgumentError(absl::StrCat(where, ": must be an object"));
    if (json::Find(item, {"effect"}) == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(where, ": effect is missing"));
    }
    for (const auto& member : item.GetObject()) {
      const absl::Status parsed = ParseMember(json::String(member.name), member.value, fault);
      if (!parsed.ok()) return Annotate(parsed, where);
    }
  }
  return faults;
}

std::string WriteFaults(const std::vector<Fault>& faults) {
  rapidjson::Document document(rapidjson::kObjectType);
  json::Allocator& allocator = document.GetAllocator();
  rapidjson::Value list(rapidjson::kArrayType);
  for (const Fault& fault : faults) {
    rapidjson::Value item(rapidjson::kObjectType);
    json::Set(item, "effect", NameOf(fault.effect), allocator);
    for (const auto& [name, text] : {std::pair<absl::string_view, absl::string_view>{"service", fault.service},
                                     {"method", fault.method},
                                     {"path", fault.path},
                                     {"user", fault.user}}) {
      if (!text.empty()) json::Set(item, name, text, allocator);
    }
    for (const auto& [name, number] : {std::pair<absl::string_view, int>{"times", fault.times},
                                       {"skip", fault.skip},
                                       {"status", fault.status},
                                       {"retryAfter", fault.retry_after},
                                       {"cell", fault.cell},
                                       {"share", fault.share},
                                       {"hits", fault.hits}}) {
      json::Set(item, name, rapidjson::Value(number), allocator);
    }
    json::Set(item, "probability", rapidjson::Value(fault.probability), allocator);
    json::Set(item, "delay", absl::FormatDuration(fault.delay), allocator);
    list.PushBack(item, allocator);
  }
  json::Set(document, "faults", std::move(list), allocator);
  return json::Write(document);
}

}  // namespace kupen::simulator
