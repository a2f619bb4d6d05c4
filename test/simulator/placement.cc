#include "test/simulator/placement.h"

#include <array>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"

namespace kupen::simulator {
namespace {

constexpr int kHighest = 39;
constexpr int kHosts = 3;
constexpr int kTreesSince = 14;

struct Link {
  absl::string_view rel;
  int since;
};
constexpr std::array kLinks = {Link{"self", 0},       Link{"inventories", 0}, Link{"usages", 0},
                               Link{"aggregates", 1}, Link{"traits", 6},      Link{"allocations", 11}};

}  // namespace

Placement::Placement(World& world) : Service(world, {.type = "placement", .prefix = "/placement", .version = ""}) {
  for (int i = 1; i <= kHosts; ++i) {
    Object& provider = Objects("resource_providers").Add(NewUuid(), "");
    provider.Set("uuid", provider.id());
    provider.Set("name", absl::StrCat("fake-", i));
    provider.SetInt("generation", 2);
  }
  On("GET", "/resource_providers", [this](Call& call) { return List(call); });
  On("GET", "/resource_providers/{id}", [this](Call& call) { return Show(call); });
}

Answer Placement::Versions(const Call& /*call*/, bool /*below_version*/) {
  return JsonAnswer(200, absl::StrCat(R"({"versions":[{"id":"v1.0","max_version":"1.)", kHighest,
                                      R"(","min_version":"1.0","status":"CURRENT","links":[{"rel":"self","href":""}]}]})"));
}

Answer Placement::Refuse(int status, absl::string_view message) const {
  Json out;
  out.writer().StartObject();
  if (status == 401) {
    out.Key("error").writer().StartObject();
    out.Key("code").writer().Int(status);
    out.Text("title", "Unauthorized").Text("message", message).writer().EndObject();
  } else {
    out.Key("errors").writer().StartArray();
    out.writer().StartObject();
    out.Key("status").writer().Int(status);
    out.Text("title", status == 404 ? "Not Found" : status == 403 ? "Forbidden" : "Error").Text("detail", message);
    out.Text("request_id", absl::StrCat("req-", NewUuid())).writer().EndObject();
    out.writer().EndArray();
  }
  out.writer().EndObject();
  return JsonAnswer(status, out.Take());
}

std::optional<Answer> Placement::CheckVersion(Call& call) const {
  absl::string_view wanted = http::Find(call.request->headers, "OpenStack-API-Version");
  if (!absl::ConsumePrefix(&wanted, "placement 1.")) return std::nullopt;
  if (absl::SimpleAtoi(wanted, &call.microversion) && call.microversion <= kHighest) return std::nullopt;
  return Refuse(406, absl::StrCat("Unacceptable version header: 1.", wanted));
}

void Placement::AddHeaders(const Call& call, Answer& answer) const {
  answer.headers.emplace_back("openstack-api-version", absl::StrCat("placement 1.", call.microversion));
}

void Placement::Write(Json& out, const Call& call, const Object& provider) const {
  out.writer().StartObject();
  WriteMembers(out, provider.body(), [](absl::string_view) { return true; });
  if (call.microversion >= kTreesSince) {
    out.Text("root_provider_uuid", provider.id()).Key("parent_provider_uuid").writer().Null();
  }
  out.Key("links").writer().StartArray();
  for (const Link& link : kLinks) {
    if (call.microversion < link.since) continue;
    out.writer().StartObject();
    out.Text("rel", link.rel);
    out.Text("href", absl::StrCat("/placement/resource_providers/", provider.id(), link.rel == "self" ? "" : "/",
                                  link.rel == "self" ? "" : link.rel));
    out.writer().EndObject();
  }
  out.writer().EndArray();
  out.writer().EndObject();
}

Answer Placement::List(const Call& call) const {
  if (!call.caller.is_admin) return Refuse(403, "Access was denied to this resource.");
  Json out;
  out.writer().StartObject();
  out.Key("resource_providers").writer().StartArray();
  for (const auto& [order, provider] : Objects("resource_providers").rows()) Write(out, call, *provider);
  out.writer().EndArray();
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Placement::Show(const Call& call) const {
  if (!call.caller.is_admin) return Refuse(403, "Access was denied to this resource.");
  const Object* provider = Objects("resource_providers").Find(call.Parameter(0));
  if (provider == nullptr) return Refuse(404, absl::StrCat("No resource provider with uuid ", call.Parameter(0), " found"));
  Json out;
  Write(out, call, *provider);
  return JsonAnswer(200, out.Take());
}

}  // namespace kupen::simulator
