#include "test/conformance/compare.h"

#include <algorithm>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "provider/json/json.h"
#include "provider/openstack/error.h"

namespace kupen::conformance {
namespace {

using rapidjson::Value;

constexpr size_t kLongest = 300;
constexpr int kFirstRefusal = 400;

absl::string_view TypeOf(const Value& value) {
  if (value.IsNull()) return "null";
  if (value.IsBool()) return "a boolean";
  if (value.IsString()) return "a text";
  if (value.IsArray()) return "a list";
  if (value.IsObject()) return "an object";
  return value.IsDouble() ? "a fraction" : "an integer";
}

std::string Joined(absl::string_view path, absl::string_view member) {
  return path.empty() ? std::string(member) : absl::StrCat(path, ".", member);
}

std::string BothTypes(absl::string_view simulated, absl::string_view real) {
  return absl::StrCat("is ", simulated, " in the simulator, but ", real, " in OpenStack");
}

void Compare(const std::string& path, const Value& simulated, const Value& real, std::vector<Difference>& differences);

bool IsLikeAny(const Value& element, const Value& list) {
  return std::any_of(list.Begin(), list.End(), [&](const Value& one) { return CompareShapes(element, one).empty(); });
}

void CompareMembers(const std::string& path, const Value& simulated, const Value& real, std::vector<Difference>& differences) {
  for (const auto& member : real.GetObject()) {
    const std::string member_path = Joined(path, json::String(member.name));
    const auto found = simulated.FindMember(member.name);
    if (found == simulated.MemberEnd()) {
      differences.push_back({member_path, BothTypes("missing", TypeOf(member.value))});
    } else {
      Compare(member_path, found->value, member.value, differences);
    }
  }
  for (const auto& member : simulated.GetObject()) {
    if (real.HasMember(member.name)) continue;
    differences.push_back({Joined(path, json::String(member.name)), BothTypes(TypeOf(member.value), "missing")});
  }
}

void Compare(const std::string& path, const Value& simulated, const Value& real, std::vector<Difference>& differences) {
  if (TypeOf(simulated) != TypeOf(real)) {
    differences.push_back({path, BothTypes(TypeOf(simulated), TypeOf(real))});
  } else if (real.IsObject()) {
    CompareMembers(path, simulated, real, differences);
  } else if (real.IsArray() && simulated.Empty() != real.Empty()) {
    differences.push_back({path, simulated.Empty() ? BothTypes("an empty list", "not") : BothTypes("a list", "an empty one")});
  } else if (real.IsArray() && !real.Empty() && (!IsLikeAny(simulated[0], real) || !IsLikeAny(real[0], simulated))) {
    Compare(Joined(path, "0"), simulated[0], real[0], differences);
  }
}

// How the provider reads a refusal: "NOT_FOUND, retry".
std::string Meaning(const Step& step, const Reply& reply) {
  const absl::Status status = openstack::ErrorFromResponse(step.service, reply.response, {});
  return absl::StrCat(absl::StatusCodeToString(status.code()), ", ",
                      openstack::DispositionName(openstack::DispositionOf(status)));
}

std::string ValueAt(const Reply& reply, const std::string& path) {
  const Value* value = At(reply.body, path);
  return value == nullptr ? "missing" : json::Write(*value);
}

std::vector<Difference> CompareValues(const Step& step, const Reply& simulated, const Reply& real) {
  std::vector<Difference> differences;
  for (const std::string& path : step.same) {
    const std::string ours = ValueAt(simulated, path);
    const std::string theirs = ValueAt(real, path);
    if (ours != theirs || theirs == "missing") differences.push_back({path, BothTypes(ours, theirs)});
  }
  return differences;
}

// Those without an exception; and exceptions without a difference.
std::vector<Difference> WithoutExceptions(const Step& step, const std::vector<Difference>& differences) {
  std::vector<Difference> rest;
  std::map<std::string, bool> needed;
  for (const auto& [pattern, reason] : step.differs) needed[pattern] = false;
  for (const Difference& difference : differences) {
    bool excepted = false;
    for (auto& [pattern, is_needed] : needed) {
      if (!IsBelow(difference.path, pattern)) continue;
      is_needed = true;
      excepted = true;
    }
    if (!excepted) rest.push_back(difference);
  }
  for (const auto& [pattern, is_needed] : needed) {
    if (!is_needed) rest.push_back({pattern, "is the same in both, but the step says that it differs"});
  }
  return rest;
}

std::string Short(const Reply& reply) {
  return absl::StrCat(reply.response.status, " ", reply.response.body.substr(0, kLongest));
}

}  // namespace

const Value* At(const Value& root, absl::string_view path) {
  const Value* value = &root;
  for (const absl::string_view segment : absl::StrSplit(path, '.')) {
    size_t index = 0;
    if (value->IsArray()) {
      if (!absl::SimpleAtoi(segment, &index) || index >= value->Size()) return nullptr;
      value = &(*value)[static_cast<rapidjson::SizeType>(index)];
    } else {
      value = json::Find(*value, {segment});
      if (value == nullptr) return nullptr;
    }
  }
  return value;
}

std::vector<Difference> CompareShapes(const Value& simulated, const Value& real) {
  std::vector<Difference> differences;
  Compare("", simulated, real, differences);
  return differences;
}

bool IsBelow(absl::string_view path, absl::string_view pattern) {
  const std::vector<absl::string_view> segments = absl::StrSplit(path, '.');
  const std::vector<absl::string_view> wanted = absl::StrSplit(pattern, '.');
  if (wanted.size() > segments.size()) return false;
  return std::equal(wanted.begin(), wanted.end(), segments.begin(),
                    [](absl::string_view want, absl::string_view segment) { return want == "*" || want == segment; });
}

std::vector<std::string> CompareReplies(const Step& step, const Reply& simulated, const Reply& real) {
  std::vector<std::string> wrong;
  const auto add = [&](const auto&... parts) { wrong.push_back(absl::StrCat(step.title, ": ", parts...)); };
  if (!simulated.problem.empty()) add("the simulator: ", simulated.problem);
  if (!real.problem.empty()) add("OpenStack: ", real.problem);
  if (simulated.response.status != real.response.status) {
    add("the simulator answers ", Short(simulated), "\n  and OpenStack ", Short(real));
    return wrong;
  }
  if (real.response.status >= kFirstRefusal && Meaning(step, simulated) != Meaning(step, real)) {
    add("the provider reads the simulator's refusal as ", Meaning(step, simulated), ", but OpenStack's as ",
        Meaning(step, real), ":\n  ", Short(simulated), "\n  ", Short(real));
  }
  std::vector<Difference> differences = CompareShapes(simulated.body, real.body);
  for (Difference& difference : CompareValues(step, simulated, real)) differences.push_back(std::move(difference));
  for (const Difference& difference : WithoutExceptions(step, differences)) {
    add(difference.path.empty() ? "the body" : difference.path, ": ", difference.what);
  }
  return wrong;
}

}  // namespace kupen::conformance
