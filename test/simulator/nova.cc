#include "test/simulator/nova.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "provider/json/json.h"

namespace kupen::simulator {
namespace {

constexpr int kHighest = 93;

absl::string_view FaultName(int status) {
  switch (status) {
    case 400:
      return "badRequest";
    case 403:
      return "forbidden";
    case 404:
      return "itemNotFound";
    case 405:
      return "badMethod";
    case 409:
      return "conflictingRequest";
    case 413:
      return "overLimit";
    case 429:
      return "overLimit";
    case 503:
      return "serviceUnavailable";
    default:
      return "computeFault";
  }
}

// "2.79" of "compute 2.79, volume 3.5" or of the older header; empty if none was asked for.
std::string WantedVersion(const http::Headers& headers) {
  for (const absl::string_view part : absl::StrSplit(http::Find(headers, "OpenStack-API-Version"), ',')) {
    absl::string_view text = absl::StripAsciiWhitespace(part);
    if (absl::ConsumePrefix(&text, "compute ")) return std::string(text);
  }
  return std::string(http::Find(headers, "X-OpenStack-Nova-API-Version"));
}

}  // namespace

Nova::Nova(World& world, Neutron& neutron, const Glance& glance, Cinder& cinder)
    : Service(world, {.type = "compute", .prefix = "/compute", .version = "/v2.1"}),
      neutron_(neutron),
      glance_(glance),
      cinder_(cinder) {
  On("POST", "/flavors", [this](Call& call) { return CreateFlavor(call); });
  On("GET", "/flavors", [this](Call& call) { return ListFlavors(call, false); });
  On("GET", "/flavors/detail", [this](Call& call) { return ListFlavors(call, true); });
  On("GET", "/flavors/{id}", [this](Call& call) { return ShowFlavor(call); });
  On("PUT", "/flavors/{id}", [this](Call& call) { return UpdateFlavor(call); });
  On("DELETE", "/flavors/{id}", [this](Call& call) { return DeleteFlavor(call); });
  On("GET", "/flavors/{id}/os-extra_specs", [this](Call& call) { return ShowExtraSpecs(call); });
  On("POST", "/flavors/{id}/os-extra_specs", [this](Call& call) { return AddExtraSpecs(call); });
  On("DELETE", "/flavors/{id}/os-extra_specs/{key}", [this](Call& call) { return DeleteExtraSpec(call); });

  On("POST", "/os-keypairs", [this](Call& call) { return CreateKeyPair(call); });
  On("GET", "/os-keypairs", [this](Call& call) { return ListKeyPairs(call); });
  On("GET", "/os-keypairs/{name}", [this](Call& call) { return ShowKeyPair(call); });
  On("DELETE", "/os-keypairs/{name}", [this](Call& call) { return DeleteKeyPair(call); });

  On("GET", "/os-server-groups", [this](Call& call) { return ListServerGroups(call); });
  On("POST", "/os-server-groups", [this](Call& call) { return CreateServerGroup(call); });
  On("GET", "/os-server-groups/{id}", [this](Call& call) { return ShowServerGroup(call); });
  On("DELETE", "/os-server-groups/{id}", [this](Call& call) { return DeleteServerGroup(call); });
  On("GET", "/os-availability-zone", [](Call&) {
    return JsonAnswer(200, R"({"availabilityZoneInfo":[{"zoneName":"nova","zoneState":{"available":true},"hosts":null}]})");
  });

  On("POST", "/servers", [this](Call& call) { return CreateServer(call); });
  On("GET", "/servers", [this](Call& call) { return ListServers(call, false); });
  On("GET", "/servers/detail", [this](Call& call) { return ListServers(call, true); });
  On("GET", "/servers/{id}", [this](Call& call) { return ShowServer(call); });
  On("PUT", "/servers/{id}", [this](Call& call) { return UpdateServer(call); });
  On("DELETE", "/servers/{id}", [this](Call& call) { return DeleteServer(call); });
  On("PUT", "/servers/{id}/metadata", [this](Call& call) { return ReplaceMetadata(call); });
  On("PUT", "/servers/{id}/tags", [this](Call& call) { return ReplaceTags(call); });
  On("POST", "/servers/{id}/action", [this](Call& call) { return Act(call); });
  On("GET", "/servers/{id}/os-interface", [this](Call& call) { return ListInterfaces(call); });
}

Answer Nova::Versions(const Call& /*call*/, bool below_version) {
  if (!below_version) {
    return JsonAnswer(
        200, absl::StrCat(R"({"versions":[{"id":"v2.0","status":"SUPPORTED","version":"","min_version":"","updated":)",
                          R"("2011-01-21T11:33:21Z","links":[{"rel":"self","href":")", Url(),
                          R"(/v2/"}]},{"id":"v2.1","status":"CURRENT","version":"2.)", kHighest,
                          R"(","min_version":"2.1","updated":"2013-07-23T11:33:21Z","links":[{"rel":"self","href":")", Url(),
                          R"(/v2.1/"}]}]})"));
  }
  return JsonAnswer(
      200, absl::StrCat(R"({"version":{"id":"v2.1","status":"CURRENT","version":"2.)", kHighest,
                        R"(","min_version":"2.1","updated":"2013-07-23T11:33:21Z","links":[{"rel":"self","href":")", Url(),
                        R"(/v2.1/"},{"rel":"describedby","type":"text/html","href":"http://docs.openstack.org/"}],)",
                        R"("media-types":[{"base":"application/json",)",
                        R"("type":"application/vnd.openstack.compute+json;version=2.1"}]}})"));
}

Answer Nova::Refuse(int status, absl::string_view message) const {
  Json out;
  Writer& writer = out.writer();
  writer.StartObject();
  out.Key(status == 401 ? "error" : FaultName(status));
  writer.StartObject();
  out.Key("code");
  writer.Int(status);
  if (status == 401) out.Text("title", "Unauthorized");
  out.Text("message", message);
  writer.EndObject();
  writer.EndObject();
  return JsonAnswer(status, out.Take());
}

std::optional<Answer> Nova::CheckVersion(Call& call) const {
  const std::string wanted = WantedVersion(call.request->headers);
  call.microversion = 1;
  if (wanted.empty()) return std::nullopt;
  if (wanted == "latest") {
    call.microversion = kHighest;
    return std::nullopt;
  }
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(wanted, absl::MaxSplits('.', 1));
  int major = 0;
  if (!absl::SimpleAtoi(parts.first, &major) || !absl::SimpleAtoi(parts.second, &call.microversion)) {
    return Refuse(400,
                  absl::StrCat("API Version String ", wanted, " is of invalid format. Must be of format MajorNum.MinorNum."));
  }
  if (major == 2 && call.microversion >= 1 && call.microversion <= kHighest) return std::nullopt;
  return Refuse(
      406, absl::StrCat("Version ", wanted, " is not supported by the API. Minimum is 2.1 and maximum is 2.", kHighest, "."));
}

void Nova::AddHeaders(const Call& call, Answer& answer) const {
  answer.headers.emplace_back("OpenStack-API-Version", absl::StrCat("compute 2.", call.microversion));
  answer.headers.emplace_back("X-OpenStack-Nova-API-Version", absl::StrCat("2.", call.microversion));
  answer.headers.emplace_back("Vary", "OpenStack-API-Version, X-OpenStack-Nova-API-Version");
}

void Nova::WriteLinks(Json& out, absl::string_view collection, absl::string_view id) const {
  Writer& writer = out.writer();
  out.Key("links");
  writer.StartArray();
  writer.StartObject();
  out.Text("rel", "self").Text("href", absl::StrCat(Url(), "/v2.1/", collection, "/", id));
  writer.EndObject();
  writer.StartObject();
  out.Text("rel", "bookmark").Text("href", absl::StrCat(Url(), "/", collection, "/", id));
  writer.EndObject();
  writer.EndArray();
}

// Nova gives it whenever the page is full, even if nothing follows.
void Nova::WriteNextLink(Json& out, const Call& call, const Page& page, absl::string_view collection,
                         absl::string_view marker) const {
  if (!page.full) return;
  Writer& writer = out.writer();
  out.Key(absl::StrCat(collection, "_links"));
  writer.StartArray();
  writer.StartObject();
  out.Text("rel", "next").Text("href", absl::StrCat(Url(), "/v2.1", call.path, "?", QueryWithMarker(call, marker)));
  writer.EndObject();
  writer.EndArray();
}

}  // namespace kupen::simulator
