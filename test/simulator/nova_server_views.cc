// How servers are shown: by microversion, to whom, from which cell.
#include <algorithm>
#include <array>
#include <regex>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "provider/json/json.h"
#include "test/simulator/nova.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

constexpr int kEmbedsFlavorSince = 47;
constexpr int kDownCellsSince = 69;
constexpr int kStrictQuerySince = 75;

struct MemberRule {
  absl::string_view name;
  // Shown to members and to administrators since; 0 for never.
  int members_since;
  int admins_since;
};
constexpr std::array kRules = {
    MemberRule{"locked", 9, 9},
    MemberRule{"host_status", 0, 16},
    MemberRule{"description", 19, 19},
    MemberRule{"tags", 26, 26},
    MemberRule{"trusted_image_certificates", 63, 63},
    MemberRule{"server_groups", 71, 71},
    MemberRule{"locked_reason", 73, 73},
    MemberRule{"OS-EXT-SRV-ATTR:host", 0, 1},
    MemberRule{"OS-EXT-SRV-ATTR:instance_name", 0, 1},
    MemberRule{"OS-EXT-SRV-ATTR:hypervisor_hostname", 0, 1},
    MemberRule{"OS-EXT-SRV-ATTR:reservation_id", 0, 3},
    MemberRule{"OS-EXT-SRV-ATTR:launch_index", 0, 3},
    MemberRule{"OS-EXT-SRV-ATTR:hostname", 90, 3},
    MemberRule{"OS-EXT-SRV-ATTR:kernel_id", 0, 3},
    MemberRule{"OS-EXT-SRV-ATTR:ramdisk_id", 0, 3},
    MemberRule{"OS-EXT-SRV-ATTR:root_device_name", 0, 3},
    MemberRule{"OS-EXT-SRV-ATTR:user_data", 0, 3},
    MemberRule{"flavor_id", 0, 0},
    MemberRule{"flavor", 0, 0},
    MemberRule{"os-extended-volumes:volumes_attached", 0, 0},
};

constexpr std::array<absl::string_view, 24> kQueries = {
    "limit", "marker", "sort_key", "sort_dir", "changes-since", "changes-before", "all_tenants", "deleted",
    "name",  "status", "tags",     "tags-any", "not-tags",      "not-tags-any",   "image",       "flavor",
    "ip",    "ip6",    "host",     "uuid",     "project_id",    "tenant_id",      "user_id",     "availability_zone"};

// Those that make a list leave out what a down cell has, without a word.
bool IsPlainQuery(const Call& call) {
  return std::all_of(call.query.begin(), call.query.end(), [](const auto& part) {
    return part.first == "all_tenants" || part.first == "sort_key" || part.first == "sort_dir";
  });
}

bool IsTrueText(absl::string_view text) {
  return text == "1" || text.empty() || absl::EqualsIgnoreCase(text, "true") || absl::EqualsIgnoreCase(text, "yes");
}

bool MatchesName(absl::string_view name, absl::string_view pattern) {
  absl::string_view plain = pattern;
  const bool anchored = absl::ConsumePrefix(&plain, "^") && absl::ConsumeSuffix(&plain, "$");
  if (plain.find_first_of("\\^$.|?*+()[]{}") == absl::string_view::npos) {
    return anchored ? name == plain : absl::StrContains(name, plain);
  }
  return std::regex_search(std::string(name), std::regex(std::string(pattern), std::regex::extended));
}

bool HasTags(const Object& server, absl::string_view wanted, bool all) {
  const std::vector<absl::string_view> tags = absl::StrSplit(wanted, ',');
  const auto has = [&](absl::string_view tag) {
    const auto list = json::Array(server.body(), {"tags"});
    return std::any_of(list.begin(), list.end(), [&](const Value& one) { return json::String(one) == tag; });
  };
  return all ? std::all_of(tags.begin(), tags.end(), has) : std::any_of(tags.begin(), tags.end(), has);
}

}  // namespace

bool Nova::Sees(const Call& call, const Object& server) const {
  return !call.faults.Hides(server.id()) && (call.caller.is_admin || server.project() == call.caller.project_id);
}

Object* Nova::FindServer(const Call& call, absl::string_view id) const {
  Object* server = Objects("servers").Find(id);
  if (server == nullptr || !Sees(call, *server)) return nullptr;
  // What is to be done with it has to wait; it can only be looked at.
  if (call.faults.IsDown(server->cell) && call.method() != "GET") return nullptr;
  return server;
}

void Nova::WriteServer(Json& out, const Call& call, const Object& server, bool detailed, bool single) const {
  Writer& writer = out.writer();
  writer.StartObject();
  if (!detailed) {
    out.Text("id", server.id()).Text("name", server.Text("name"));
    WriteLinks(out, "servers", server.id());
    writer.EndObject();
    return;
  }
  const absl::string_view status = server.Text("status");
  WriteMembers(out, server.body(), [&](absl::string_view name) {
    if (name == "progress") return status == "ACTIVE" || status == "BUILD";
    if (name == "server_groups" && !single) return false;
    if (name == "fault") return false;
    const auto rule = std::find_if(kRules.begin(), kRules.end(), [&](const MemberRule& one) { return one.name == name; });
    if (rule == kRules.end()) return true;
    const int since = call.caller.is_admin ? rule->admins_since : rule->members_since;
    return since != 0 && call.microversion >= since;
  });
  out.Key("flavor");
  if (call.microversion >= kEmbedsFlavorSince) {
    json::Find(server.body(), {"flavor"})->Accept(writer);
  } else {
    writer.StartObject();
    out.Text("id", server.Text("flavor_id")).Key("links");
    writer.StartArray();
    writer.StartObject();
    out.Text("rel", "bookmark").Text("href", absl::StrCat(Url(), "/flavors/", server.Text("flavor_id")));
    writer.EndObject();
    writer.EndArray();
    writer.EndObject();
  }
  // Lists have none: Nova looks for them in one cell only, and servers that no host would take are in another.
  if (const Value* fault = json::Find(server.body(), {"fault"}); fault != nullptr && single) {
    out.Key("fault").writer().StartObject();
    WriteMembers(out, *fault, [&](absl::string_view name) { return name != "details" || call.caller.is_admin; });
    writer.EndObject();
  }
  out.Key("os-extended-volumes:volumes_attached");
  writer.StartArray();
  for (const Value& volume : json::Array(server.body(), {"os-extended-volumes:volumes_attached"})) {
    writer.StartObject();
    WriteMembers(out, volume, [&](absl::string_view name) { return name == "id" || call.microversion >= 3; });
    writer.EndObject();
  }
  writer.EndArray();
  WriteLinks(out, "servers", server.id());
  writer.EndObject();
}

// What the API's own database knows of a server whose cell does not answer.
void Nova::WriteUnreachable(Json& out, const Call& call, const Object& server, bool single) const {
  Writer& writer = out.writer();
  writer.StartObject();
  out.Text("id", server.id()).Text("tenant_id", server.project()).Text("status", "UNKNOWN");
  out.Text("created", TimeText(server.created));
  if (single) {
    out.Text("user_id", server.Text("user_id")).Value("image", *json::Find(server.body(), {"image"}));
    out.Value("flavor", *json::Find(server.body(), {"flavor"}));
    out.Text("OS-EXT-AZ:availability_zone", "UNKNOWN").Key("OS-EXT-STS:power_state");
    writer.Int(0);
    if (call.microversion >= 71) {
      out.Key("server_groups");
      writer.StartArray();
      writer.EndArray();
    }
  }
  WriteLinks(out, "servers", server.id());
  writer.EndObject();
}

Answer Nova::OneServer(const Call& call, const Object& server) const {
  Json out;
  out.writer().StartObject();
  out.Key("server");
  WriteServer(out, call, server, true, true);
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Nova::ShowServer(Call& call) {
  const Object* server = FindServer(call, call.Parameter(0));
  const bool down = server != nullptr && call.faults.IsDown(server->cell);
  if (server == nullptr || (down && call.microversion < kDownCellsSince)) {
    return Refuse(404, absl::StrCat("Instance ", call.Parameter(0), " could not be found."));
  }
  if (!down) return OneServer(call, *server);
  Json out;
  out.writer().StartObject();
  out.Key("server");
  WriteUnreachable(out, call, *server, true);
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

std::optional<Answer> Nova::CheckListQuery(const Call& call) const {
  for (const auto& [name, value] : call.query) {
    const bool known = std::find(kQueries.begin(), kQueries.end(), name) != kQueries.end();
    if (!known && call.microversion >= kStrictQuerySince) {
      return Refuse(400, absl::StrCat("'", name, "' does not match any of the regexes: '^_'"));
    }
  }
  if (call.HasQuery("all_tenants") && IsTrueText(call.Query("all_tenants")) && !call.caller.is_admin) {
    return Refuse(403, "Policy doesn't allow os_compute_api:servers:detail:get_all_tenants to be performed.");
  }
  return std::nullopt;
}

bool Nova::FitsFilters(const Call& call, const Object& server) const {
  const bool everywhere = call.HasQuery("all_tenants") && IsTrueText(call.Query("all_tenants"));
  if (!everywhere && server.project() != call.caller.project_id) return false;
  for (const auto& [name, value] : call.query) {
    const bool fits = name == "name"         ? MatchesName(server.Text("name"), value)
                      : name == "status"     ? absl::EqualsIgnoreCase(server.Text("status"), value)
                      : name == "tags"       ? HasTags(server, value, true)
                      : name == "tags-any"   ? HasTags(server, value, false)
                      : name == "not-tags"   ? !HasTags(server, value, true)
                      : name == "image"      ? json::String(server.body(), {"image", "id"}) == value
                      : name == "flavor"     ? server.Text("flavor_id") == value
                      : name == "uuid"       ? !call.caller.is_admin || server.id() == value
                      : name == "project_id" ? !call.caller.is_admin || server.project() == value
                                             : true;
    if (!fits) return false;
  }
  return true;
}

Answer Nova::ListServers(Call& call, bool detailed) {
  if (std::optional<Answer> wrong = CheckListQuery(call)) return *std::move(wrong);
  absl::Time since = absl::InfinitePast();
  if (call.HasQuery("changes-since")) {
    std::string error;
    if (!absl::ParseTime(absl::RFC3339_full, call.Query("changes-since"), &since, &error) &&
        !absl::ParseTime("%Y-%m-%dT%H:%M:%E*S", call.Query("changes-since"), &since, &error)) {
      return Refuse(400, absl::StrCat("Invalid input for query parameters changes-since. Value: ", call.Query("changes-since"),
                                      ". '", call.Query("changes-since"), "' is not a 'date-time'"));
    }
  }
  const bool tells_unreachable = call.microversion >= kDownCellsSince && IsPlainQuery(call);
  const auto fits = [&](const Object& server) {
    if (server.updated < since || !Sees(call, server) || !FitsFilters(call, server)) return false;
    return tells_unreachable || !call.faults.IsDown(server.cell);
  };
  const auto write = [&](Json& out, const Object& server) {
    if (call.faults.IsDown(server.cell)) {
      WriteUnreachable(out, call, server, false);
    } else {
      WriteServer(out, call, server, detailed, false);
    }
  };
  const Page page = SelectPage(call, Objects("servers"), {.newest_first = true}, fits);
  if (page.problem == Page::Problem::kMarker) return Refuse(400, absl::StrCat("marker [", call.Query("marker"), "] not found"));
  if (page.problem == Page::Problem::kLimit) return Refuse(400, "Invalid input for query parameters limit.");
  Json out;
  out.writer().StartObject();
  out.Key("servers").writer().StartArray();
  for (const Object* server : page.rows) write(out, *server);
  // On the last page, after the living.
  if (call.HasQuery("changes-since") && !page.more) {
    for (const auto& [order, server] : Objects("deleted_servers").rows()) {
      if (fits(*server)) write(out, *server);
    }
  }
  out.writer().EndArray();
  if (!page.rows.empty()) WriteNextLink(out, call, page, "servers", page.rows.back()->id());
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

}  // namespace kupen::simulator
