#include "provider/cmd/flags.h"

#include <algorithm>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "provider/base/status.h"

namespace kupen::cmd {
namespace {

constexpr int kMaxRate = 10000;

// Sets the flag from its text. An error says what is allowed, without the flag's name and the text.
using Setter = absl::Status (*)(absl::string_view text, Flags& flags);

struct Flag {
  absl::string_view name;
  // 0 if it has none.
  char letter;
  // What its value is called; empty for a switch, whose value may be left out.
  absl::string_view value;
  absl::string_view help;
  Setter set;
  // The environment variable that sets it.
  const char* variable = nullptr;
};

absl::Status SetSwitch(absl::string_view text, bool& out) {
  if (!absl::SimpleAtob(text, &out)) return absl::InvalidArgumentError("has to be true or false");
  return absl::OkStatus();
}

absl::Status SetDuration(absl::string_view text, absl::Duration& out) {
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration) || duration <= absl::ZeroDuration() || duration == absl::InfiniteDuration()) {
    return absl::InvalidArgumentError("has to be a positive duration such as 500ms, 1m30s or 2h");
  }
  out = duration;
  return absl::OkStatus();
}

absl::Status SetRate(absl::string_view text, int& out) {
  if (!absl::SimpleAtoi(text, &out) || out < 1 || out > kMaxRate) {
    return absl::InvalidArgumentError(absl::StrCat("has to be a whole number from 1 to ", kMaxRate));
  }
  return absl::OkStatus();
}

// A switch that can only have one value here: who sets it otherwise must not believe that he gets what he wants.
absl::Status AllowOnly(bool allowed, absl::string_view why, absl::string_view text) {
  bool wanted = false;
  RETURN_IF_ERROR(SetSwitch(text, wanted));
  if (wanted == allowed) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("has to be ", allowed ? "true" : "false", ": ", why));
}

constexpr Flag kFlags[] = {
    {"debug", 'd', "", "Write debug entries to the log.", [](auto text, Flags& flags) { return SetSwitch(text, flags.debug); }},
    {"sync", 's', "DURATION", "How often every object is looked at even if nothing happened. Default 1h.",
     [](auto text, Flags& flags) { return SetDuration(text, flags.sync); }},
    {"poll", 0, "DURATION", "How often all objects are compared with the cloud: a list for each kind in use. Default 30s.",
     [](auto text, Flags& flags) { return SetDuration(text, flags.poll); }},
    {"lost-create-pause", 0, "DURATION",
     "How long to look for what a create may have made, if its answer was lost, before it is sent again. Default 1m.",
     [](auto text, Flags& flags) { return SetDuration(text, flags.lost_create_pause); }},
    {"poll-state-metric", 0, "DURATION",
     "How old the numbers of existing, ready and synced objects in /metrics may be. Default 5s.",
     [](auto text, Flags& flags) { return SetDuration(text, flags.poll_state_metric); }},
    {"max-reconcile-rate", 0, "NUMBER", "Reconciles per second that call OpenStack or write to Kubernetes. Default 100.",
     [](auto text, Flags& flags) { return SetRate(text, flags.max_reconcile_rate); }},
    {"leader-election", 'l', "", "Of several replicas let one act, by a Lease.",
     [](auto text, Flags& flags) { return SetSwitch(text, flags.leader_election); }, "LEADER_ELECTION"},
    {"enable-management-policies", 0, "", "Known to other providers; only true is allowed here.",
     [](auto text, Flags&) { return AllowOnly(true, "spec.managementPolicies always counts", text); }},
    {"enable-changelogs", 0, "", "Known to other providers; only false is allowed here.",
     [](auto text, Flags&) { return AllowOnly(false, "this provider writes no change logs", text); }},
    {"changelogs-socket-path", 0, "PATH", "Known to other providers; has no effect here.",
     [](auto, Flags&) { return absl::OkStatus(); }},
    {"kubeconfig", 0, "FILE", "How to reach the API server. Default: $KUBECONFIG, the pod's ServiceAccount, ~/.kube/config.",
     [](auto text, Flags& flags) {
       flags.kubeconfig = std::string(text);
       return absl::OkStatus();
     }},
    {"metrics-address", 0, "[HOST]:PORT", "Where /metrics, /healthz and /readyz are served; \"0\" for nowhere. Default :8080.",
     [](auto text, Flags& flags) {
       flags.metrics_address = std::string(text);
       return absl::OkStatus();
     }},
    {"allow-address", 0, "CIDR", "URLs that tenants write may lead here although they otherwise may not. May be repeated.",
     [](auto text, Flags& flags) {
       flags.allow_address.emplace_back(text);
       return absl::OkStatus();
     }},
    {"deny-address", 0, "CIDR", "URLs that tenants write may not lead here, such as the cluster's own ranges. May be repeated.",
     [](auto text, Flags& flags) {
       flags.deny_address.emplace_back(text);
       return absl::OkStatus();
     }},
    {"version", 0, "", "Print the version.", [](auto text, Flags& flags) { return SetSwitch(text, flags.version); }},
    {"help", 'h', "", "Print this.", [](auto text, Flags& flags) { return SetSwitch(text, flags.help); }},
};

// How many letters have to be added, left out or exchanged to make one of the other (Levenshtein).
size_t Distance(absl::string_view a, absl::string_view b) {
  // Of the part of a so far, to each part of b.
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t exchanged = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({exchanged, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

absl::Status UnknownFlag(absl::string_view given, absl::string_view name) {
  const Flag* const nearest = std::min_element(std::begin(kFlags), std::end(kFlags), [&](const Flag& a, const Flag& b) {
    return Distance(name, a.name) < Distance(name, b.name);
  });
  return absl::InvalidArgumentError(absl::StrCat("unknown flag ", given, "; the nearest is --", nearest->name));
}

absl::StatusOr<const Flag*> FindFlag(absl::string_view given) {
  const bool is_letter = !absl::StartsWith(given, "--") && given.size() == 2;
  const absl::string_view name = given.substr(absl::StartsWith(given, "--") ? 2 : 1);
  for (const Flag& flag : kFlags) {
    if (is_letter ? flag.letter == name.front() : absl::StartsWith(given, "--") && flag.name == name) return &flag;
  }
  return UnknownFlag(given, name);
}

absl::Status Set(const Flag& flag, absl::string_view source, absl::string_view text, Flags& flags) {
  const absl::Status status = flag.set(text, flags);
  return Annotate(status, absl::StrCat(source, "=\"", text, "\""));
}

}  // namespace

absl::StatusOr<Flags> ParseFlags(const std::vector<std::string>& arguments, const Environment& environment) {
  Flags flags;
  for (const Flag& flag : kFlags) {
    const char* const text = flag.variable == nullptr ? nullptr : environment(flag.variable);
    if (text != nullptr && *text != '\0') RETURN_IF_ERROR(Set(flag, absl::StrCat("$", flag.variable), text, flags));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const absl::string_view argument = arguments[i];
    if (argument.size() < 2 || argument.front() != '-') {
      return absl::InvalidArgumentError(absl::StrCat("unexpected argument \"", argument, "\": all that is taken are flags"));
    }
    const size_t equals = argument.find('=');
    const absl::string_view given = argument.substr(0, equals);
    ASSIGN_OR_RETURN(const Flag* const flag, FindFlag(given));
    absl::string_view text = "true";
    if (equals != absl::string_view::npos) {
      text = argument.substr(equals + 1);
    } else if (!flag->value.empty()) {
      if (++i == arguments.size()) return absl::InvalidArgumentError(absl::StrCat(given, " needs a value: ", flag->value));
      text = arguments[i];
    }
    RETURN_IF_ERROR(Set(*flag, absl::StrCat("--", flag->name), text, flags));
  }
  return flags;
}

std::string FlagsHelp() {
  std::string help = "usage: provider-kupenstack [FLAG]...\n\nOpenStack as Kubernetes objects: a Crossplane provider.\n\n";
  for (const Flag& flag : kFlags) {
    const std::string letter = flag.letter == 0 ? "    " : absl::StrFormat("-%c, ", flag.letter);
    const std::string value = flag.value.empty() ? "" : absl::StrCat("=", flag.value);
    const std::string variable = flag.variable == nullptr ? "" : absl::StrCat(" ($", flag.variable, ")");
    absl::StrAppendFormat(&help, "  %s--%-32s %s%s\n", letter, absl::StrCat(flag.name, value), flag.help, variable);
  }
  return help;
}

}  // namespace kupen::cmd
