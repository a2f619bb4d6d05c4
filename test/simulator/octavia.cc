#include "test/simulator/octavia.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

constexpr int kHighestMinor = 26;

std::string PlainTime(absl::Time time) { return absl::FormatTime("%Y-%m-%dT%H:%M:%S", time, absl::UTCTimeZone()); }

Answer Wrapped(int status, const Object& balancer) {
  return JsonAnswer(status, absl::StrCat(R"({"loadbalancer":)", json::Write(balancer.body()), "}"));
}

}  // namespace

Octavia::Octavia(World& world, Neutron& neutron)
    : Service(world, {.type = "load-balancer", .prefix = "/load-balancer", .version = "/v2"}), neutron_(neutron) {
  const absl::string_view path = "/lbaas/loadbalancers";
  const absl::string_view item = "/lbaas/loadbalancers/{id}";
  On("POST", path, [this](Call& call) { return Create(call); });
  On("GET", path, [this](Call& call) { return List(call); });
  On("GET", item, [this](Call& call) { return Show(call); });
  On("PUT", item, [this](Call& call) { return Update(call); });
  On("DELETE", item, [this](Call& call) { return Delete(call); });
}

Answer Octavia::Versions(const Call& /*call*/, bool below_version) {
  if (below_version) return Refuse(404, "The resource could not be found.");
  std::string versions;
  for (int minor = 0; minor <= kHighestMinor; ++minor) {
    absl::StrAppend(&versions, minor == 0 ? "" : ",", R"({"id":"v2.)", minor, R"(","status":")",
                    minor == kHighestMinor ? "CURRENT" : "SUPPORTED",
                    R"(","updated":"2016-12-11T00:00:00Z","links":[{"href":")", Url(), R"(/v2","rel":"self"}]})");
  }
  return JsonAnswer(200, absl::StrCat(R"({"versions":[)", versions, "]}"));
}

Answer Octavia::Refuse(int status, absl::string_view message) const {
  Json out;
  out.writer().StartObject();
  if (status == 401) {
    out.Key("error").writer().StartObject();
    out.Key("code").writer().Int(status);
    out.Text("title", "Unauthorized").Text("message", message).writer().EndObject();
  } else {
    out.Text("faultcode", status < 500 ? "Client" : "Server").Text("faultstring", message).Key("debuginfo").writer().Null();
  }
  out.writer().EndObject();
  return JsonAnswer(status, out.Take());
}

Answer Octavia::NotFound(absl::string_view id) const { return Refuse(404, absl::StrCat("Load Balancer ", id, " not found.")); }

Object* Octavia::Find(const Call& call, absl::string_view id) const {
  Object* balancer = Objects("loadbalancers").Find(id);
  if (balancer == nullptr || call.faults.Hides(id)) return nullptr;
  return call.caller.is_admin || balancer->project() == call.caller.project_id ? balancer : nullptr;
}

std::optional<Answer> Octavia::Begin(const Call& call, Object& balancer, absl::string_view status) {
  const absl::string_view now = balancer.Text("provisioning_status");
  if (absl::StartsWith(now, "PENDING")) {
    return Refuse(409, absl::StrCat("Invalid state ", now, " of loadbalancer resource ", balancer.id()));
  }
  balancer.Set("provisioning_status", status);
  call.Later(world_.options.balancer_time, [this, id = balancer.id()] { Finish(id); });
  return std::nullopt;
}

void Octavia::Finish(const std::string& id) {
  Object* balancer = Objects("loadbalancers").Find(id);
  if (balancer == nullptr) return;
  if (balancer->Text("provisioning_status") == "PENDING_DELETE") {
    neutron_.DeletePort(std::string(balancer->Text("vip_port_id")));
    Objects("loadbalancers").Remove(id);
    return;
  }
  balancer->Set("provisioning_status", "ACTIVE");
  balancer->Set("operating_status", "ONLINE");
  balancer->Set("updated_at", PlainTime(world_.Now()));
}

Answer Octavia::Create(Call& call) {
  const Value* given = call.Envelope("loadbalancer");
  if (given == nullptr) return Refuse(400, "Invalid input for field/attribute loadbalancer.");
  const std::string subnet_id(json::String(*given, {"vip_subnet_id"}));
  std::string network_id(json::String(*given, {"vip_network_id"}));
  if (const Object* subnet = world_.store["network/subnets"].Find(subnet_id))
    network_id = std::string(subnet->Text("network_id"));
  if (network_id.empty()) {
    return Refuse(400, "Validation failure: VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.");
  }
  std::string error;
  const std::optional<std::string> port = neutron_.MakePort(call, {.network = network_id, .owner = "Octavia"}, error);
  if (!port.has_value()) return Refuse(400, absl::StrCat("Network ", network_id, " not found."));
  Object& balancer = Objects("loadbalancers").Add(NewUuid(), call.caller.project_id);
  balancer.Merge(*json::Parse(R"({"listeners":[],"pools":[],"id":"","name":"","description":"","provisioning_status":"",
      "operating_status":"OFFLINE","admin_state_up":true,"project_id":"","created_at":"","updated_at":null,"vip_address":"",
      "vip_port_id":"","vip_subnet_id":"","vip_network_id":"","additional_vips":[],"provider":"kupen","flavor_id":null,
      "vip_qos_policy_id":null,"tags":[],"availability_zone":null,"tenant_id":""})"));
  for (const absl::string_view member : {"name", "description", "admin_state_up", "tags", "vip_subnet_id"}) {
    if (const Value* value = json::Find(*given, {member})) balancer.Set(member, *value);
  }
  balancer.Set("id", balancer.id());
  balancer.Set("project_id", balancer.project());
  balancer.Set("tenant_id", balancer.project());
  balancer.Set("created_at", PlainTime(world_.Now()));
  balancer.Set("vip_port_id", *port);
  balancer.Set("vip_network_id", network_id);
  for (const Value& fixed : json::Array(neutron_.Port(*port)->body(), {"fixed_ips"})) {
    balancer.Set("vip_address", json::String(fixed, {"ip_address"}));
    balancer.Set("vip_subnet_id", json::String(fixed, {"subnet_id"}));
  }
  Begin(call, balancer, "PENDING_CREATE");
  return Wrapped(201, balancer);
}

Answer Octavia::List(Call& call) {
  const Page page = SelectPage(call, Objects("loadbalancers"), {}, [&](const Object& balancer) {
    return Find(call, balancer.id()) != nullptr && (!call.HasQuery("name") || balancer.Text("name") == call.Query("name"));
  });
  if (page.problem == Page::Problem::kMarker) return NotFound(call.Query("marker"));
  if (page.problem == Page::Problem::kLimit) return Refuse(400, "Invalid limit");
  Json out;
  out.writer().StartObject();
  out.Key("loadbalancers").writer().StartArray();
  for (const Object* balancer : page.rows) balancer->body().Accept(out.writer());
  out.writer().EndArray();
  out.Key("loadbalancers_links").writer().StartArray();
  if (page.more) {
    out.writer().StartObject();
    out.Text("rel", "next")
        .Text("href", absl::StrCat(Url(), "/v2", call.path, "?", QueryWithMarker(call, page.rows.back()->id())));
    out.writer().EndObject();
  }
  out.writer().EndArray();
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Octavia::Show(Call& call) {
  const Object* balancer = Find(call, call.Parameter(0));
  return balancer == nullptr ? NotFound(call.Parameter(0)) : Wrapped(200, *balancer);
}

Answer Octavia::Update(Call& call) {
  Object* balancer = Find(call, call.Parameter(0));
  if (balancer == nullptr) return NotFound(call.Parameter(0));
  const Value* change = call.Envelope("loadbalancer");
  if (change == nullptr) return Refuse(400, "Invalid input for field/attribute loadbalancer.");
  if (std::optional<Answer> wrong = Begin(call, *balancer, "PENDING_UPDATE")) return *std::move(wrong);
  for (const absl::string_view member : {"name", "description", "admin_state_up", "tags"}) {
    if (const Value* value = json::Find(*change, {member})) balancer->Set(member, *value);
  }
  return Wrapped(200, *balancer);
}

Answer Octavia::Delete(Call& call) {
  Object* balancer = Find(call, call.Parameter(0));
  if (balancer == nullptr) return NotFound(call.Parameter(0));
  if (std::optional<Answer> wrong = Begin(call, *balancer, "PENDING_DELETE")) return *std::move(wrong);
  return {.status = 204};
}

}  // namespace kupen::simulator
