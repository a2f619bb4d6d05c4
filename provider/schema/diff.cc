#include "provider/schema/diff.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "provider/base/text.h"
#include "provider/json/json.h"

namespace kupen::schema {
namespace {

using rapidjson::Value;

constexpr size_t kLongestShown = 80;

// One way to write an address; anything else stays as it is.
std::string CanonicalAddress(absl::string_view text) {
  std::string address(text);
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  std::array<char, INET6_ADDRSTRLEN> canonical;
  for (const int family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, address.c_str(), bytes.data()) == 1) {
      return inet_ntop(family, bytes.data(), canonical.data(), canonical.size());
    }
  }
  return address;
}

std::string Canonical(absl::string_view format, absl::string_view text) {
  if (format == "uuid" || format == "mac") return absl::AsciiStrToLower(text);
  if (format == "ip") return CanonicalAddress(text);
  if (format == "cidr") {
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('/', 1));
    return absl::StrCat(CanonicalAddress(parts.first), "/", parts.second);
  }
  return std::string(text);
}

bool MatchesMessage(const MessagePlan& plan, const Value& wanted, const Value& seen) {
  if (!wanted.IsObject() || !seen.IsObject()) return wanted == seen;
  return std::all_of(plan.fields.begin(), plan.fields.end(), [&](const FieldPlan& field) {
    if (field.wire.empty()) return true;
    const Value* want = FindAt(wanted, field.wire);
    if (want == nullptr) return true;
    const Value* have = FindAt(seen, field.wire);
    return have == nullptr ? json::IsEmpty(*want) : Matches(field, *want, *have);
  });
}

bool MatchesOne(const FieldPlan& field, const Value& wanted, const Value& seen) {
  if (field.message != nullptr) return MatchesMessage(*field.message, wanted, seen);
  if (wanted.IsString() && seen.IsString()) {
    return Canonical(field.options.format(), json::String(wanted)) == Canonical(field.options.format(), json::String(seen));
  }
  return wanted == seen;
}

bool MatchesList(const FieldPlan& field, const Value& wanted, const Value& seen) {
  if (!wanted.IsArray() || !seen.IsArray()) return wanted == seen;
  if (wanted.Size() != seen.Size()) return false;
  if (!field.options.unordered()) {
    return std::equal(wanted.Begin(), wanted.End(), seen.Begin(),
                      [&field](const Value& a, const Value& b) { return MatchesOne(field, a, b); });
  }
  // Each of the wanted takes one of the seen. Lists are short: they have a maximum.
  std::vector<const Value*> left;
  for (const Value& item : seen.GetArray()) left.push_back(&item);
  for (const Value& item : wanted.GetArray()) {
    const auto match =
        std::find_if(left.begin(), left.end(), [&](const Value* other) { return MatchesOne(field, item, *other); });
    if (match == left.end()) return false;
    left.erase(match);
  }
  return true;
}

std::string Shown(const Value& value) {
  std::string text = value.IsString() ? std::string(json::String(value)) : json::Write(value);
  if (text.size() > kLongestShown) text = absl::StrCat(Cut(text, kLongestShown), "…");
  return text;
}

std::string Describe(const FieldPlan& field, const Value& wanted, const Value& seen) {
  if (field.options.sensitive()) return absl::StrCat(field.json, ": changed");
  return absl::StrCat(field.json, ": ", Shown(seen), " → ", Shown(wanted));
}

}  // namespace

bool Matches(const FieldPlan& field, const Value& wanted, const Value& seen) {
  if (json::IsEmpty(wanted) || json::IsEmpty(seen)) return json::IsEmpty(wanted) && json::IsEmpty(seen);
  return field.repeated ? MatchesList(field, wanted, seen) : MatchesOne(field, wanted, seen);
}

std::vector<Change> Diff(const MessagePlan& plan, const Value& parameters, const Value& object, Allocator& allocator) {
  std::vector<Change> changes;
  Value wanted = Encode(plan, parameters, allocator);
  for (const FieldPlan& field : plan.fields) {
    if (field.wire.empty()) continue;
    const auto want = wanted.FindMember(field.wire.front().c_str());
    const Value* have = FindAt(object, field.wire);
    if (want == wanted.MemberEnd() || have == nullptr || Matches(field, want->value, *have)) continue;
    std::string text = Describe(field, want->value, *have);
    changes.push_back({.field = &field, .wanted = std::move(want->value), .text = std::move(text)});
  }
  return changes;
}

}  // namespace kupen::schema
