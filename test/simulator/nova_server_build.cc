// How a server comes to be: its ports, volumes and members, and what becomes of it.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"
#include "test/simulator/nova.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

constexpr int kHosts = 3;
// Of each host.
constexpr int64_t kHostVcpus = 1000;
constexpr int64_t kHostMemory = 800'000;
// As Nova numbers it.
constexpr int kRunning = 1;
constexpr absl::string_view kOwner = "compute:nova";

bool FitsAnyHost(const Object& flavor) {
  return json::Find(flavor.body(), {"vcpus"})->GetInt64() <= kHostVcpus &&
         json::Find(flavor.body(), {"ram"})->GetInt64() <= kHostMemory;
}

}  // namespace

std::optional<Answer> Nova::MakePorts(const Call& call, NewServer& server, const std::string& id) {
  for (Neutron::PortWanted& wanted : server.wanted) {
    wanted.device = id;
    wanted.owner = std::string(kOwner);
    wanted.security_groups = server.groups;
    std::string error;
    const std::optional<std::string> port = neutron_.MakePort(call, wanted, error);
    if (!port.has_value()) {
      for (const std::string& made : server.own_ports) neutron_.DeletePort(made);
      return Refuse(400, absl::StrCat("Fixed IP address ", wanted.fixed_ip, " is already in use, or there is none left."));
    }
    server.own_ports.push_back(*port);
  }
  return std::nullopt;
}

Answer Nova::CreateServer(Call& call) {
  const Value* given = call.Envelope("server");
  if (given == nullptr) return Refuse(400, "Invalid input for field/attribute server.");
  NewServer made;
  if (std::optional<Answer> wrong = CheckServer(call, *given, made)) return *std::move(wrong);
  const std::string id = NewUuid();
  if (std::optional<Answer> wrong = MakePorts(call, made, id)) return *std::move(wrong);
  Object& server = Objects("servers").Add(id, call.caller.project_id);
  FillServer(call, *given, made, server);
  MakeVolumes(call, *given, server);
  if (made.server_group != nullptr) JoinServerGroup(*made.server_group, server);
  ports_[id] = {.own = made.own_ports, .given = made.given_ports};
  for (const std::string& port : made.given_ports) neutron_.BindPort(port, id, std::string(kOwner), "");
  const bool fails = call.faults.fail || !FitsAnyHost(*made.flavor);
  call.Later(world_.options.build_time, [this, id, fails] { FinishBuild(id, fails); });

  Json out;
  Writer& writer = out.writer();
  writer.StartObject();
  out.Key("server");
  writer.StartObject();
  out.Text("id", id);
  WriteLinks(out, "servers", id);
  out.Text("OS-DCF:diskConfig", "MANUAL").Key("security_groups");
  writer.StartArray();
  for (const Value& group : json::Array(*given, {"security_groups"})) group.Accept(writer);
  if (json::Array(*given, {"security_groups"}).Empty()) {
    writer.StartObject();
    out.Text("name", "default");
    writer.EndObject();
  }
  writer.EndArray();
  out.Text("adminPass", "simulated");
  writer.EndObject();
  writer.EndObject();
  Answer answer = JsonAnswer(202, out.Take());
  answer.headers.emplace_back("Location", absl::StrCat(Url(), "/v2.1/servers/", id));
  return answer;
}

void Nova::FillServer(const Call& call, const Value& given, const NewServer& made, Object& server) {
  const int number = ++last_server_;
  server.created = world_.Now();
  server.owner_user = call.caller.user_id;
  server.cell = 1 + (number - 1) % std::max(1, world_.options.cells);
  const absl::string_view name = json::String(given, {"name"});
  const std::string instance = absl::StrFormat("instance-%08x", number);
  server.Merge(*json::Parse(R"({"id":"","name":"","status":"BUILD","tenant_id":"","user_id":"","metadata":{},"hostId":"",
      "image":"","created":"","updated":"","addresses":{},"accessIPv4":"","accessIPv6":"","OS-DCF:diskConfig":"MANUAL",
      "progress":0,"OS-EXT-AZ:availability_zone":"nova","config_drive":"","key_name":null,"OS-SRV-USG:launched_at":null,
      "OS-SRV-USG:terminated_at":null,"OS-EXT-STS:task_state":"scheduling","OS-EXT-STS:vm_state":"building",
      "OS-EXT-STS:power_state":0,"os-extended-volumes:volumes_attached":[],"locked":false,"locked_reason":null,
      "description":null,"tags":[],"trusted_image_certificates":null,"OS-EXT-SRV-ATTR:hostname":"","server_groups":[],
      "OS-EXT-SRV-ATTR:host":null,"OS-EXT-SRV-ATTR:instance_name":"","OS-EXT-SRV-ATTR:hypervisor_hostname":null,
      "OS-EXT-SRV-ATTR:reservation_id":"","OS-EXT-SRV-ATTR:launch_index":0,"OS-EXT-SRV-ATTR:kernel_id":"",
      "OS-EXT-SRV-ATTR:ramdisk_id":"","OS-EXT-SRV-ATTR:root_device_name":"/dev/sda","OS-EXT-SRV-ATTR:user_data":null,
      "host_status":""})"));
  server.Set("id", server.id());
  server.Set("tenant_id", call.caller.project_id);
  server.Set("user_id", call.caller.user_id);
  server.Set("created", TimeText(server.created));
  server.Set("OS-EXT-SRV-ATTR:hostname", name);
  server.Set("OS-EXT-SRV-ATTR:instance_name", instance);
  server.Set("OS-EXT-SRV-ATTR:reservation_id", absl::StrCat("r-", instance.substr(instance.size() - 8)));
  for (const absl::string_view member : {"name", "metadata", "tags", "description", "key_name"}) {
    if (const Value* value = json::Find(given, {member})) server.Set(member, *value);
  }
  if (const Value* drive = json::Find(given, {"config_drive"}); drive != nullptr && drive->IsTrue()) {
    server.Set("config_drive", "True");
  }
  if (const Value* data = json::Find(given, {"user_data"})) server.Set("OS-EXT-SRV-ATTR:user_data", *data);
  if (const absl::string_view image = json::String(given, {"imageRef"}); !image.empty()) {
    server.SetJson("image", absl::StrCat(R"({"id":")", image, R"(","links":[{"rel":"bookmark","href":")", Url(), "/images/",
                                         image, R"("}]})"));
  }
  const Value& flavor = made.flavor->body();
  const auto number_of = [&](absl::string_view member) { return json::Write(*json::Find(flavor, {member})); };
  server.SetJson("flavor", absl::StrCat(R"({"vcpus":)", number_of("vcpus"), R"(,"ram":)", number_of("ram"), R"(,"disk":)",
                                        number_of("disk"), R"(,"ephemeral":)", number_of("OS-FLV-EXT-DATA:ephemeral"),
                                        R"(,"swap":)", number_of("swap"), R"(,"original_name":)", number_of("name"),
                                        R"(,"extra_specs":)", number_of("extra_specs"), "}"));
  // Never shown as it is: older microversions show only this of the flavor.
  server.Set("flavor_id", made.flavor->id());
  Touch(server);
}

// Of the devices that Nova makes, or attaches.
void Nova::MakeVolumes(const Call& call, const Value& given, Object& server) {
  std::string attached;
  for (const Value& device : json::Array(given, {"block_device_mapping_v2"})) {
    if (json::String(device, {"destination_type"}) != "volume") continue;
    std::string volume(json::String(device, {"source_type"}) == "volume" ? json::String(device, {"uuid"}) : "");
    const Value* size = json::Find(device, {"volume_size"});
    if (volume.empty()) {
      const Object* image = glance_.FindImage(call, json::String(device, {"uuid"}));
      volume = cinder_.MakeVolume(call, size != nullptr && size->IsInt() ? size->GetInt() : 1, image);
    }
    cinder_.Attach(volume, server.id());
    const Value* goes_too = json::Find(device, {"delete_on_termination"});
    absl::StrAppend(&attached, attached.empty() ? "" : ",", R"({"id":")", volume, R"(","delete_on_termination":)",
                    goes_too != nullptr && goes_too->IsTrue() ? "true" : "false", "}");
  }
  if (!attached.empty()) server.SetJson("os-extended-volumes:volumes_attached", absl::StrCat("[", attached, "]"));
}

void Nova::FinishBuild(const std::string& id, bool fails) {
  Object* server = Objects("servers").Find(id);
  if (server == nullptr || server->Text("OS-EXT-STS:task_state") == "deleting") return;
  Touch(*server);
  server->SetNull("OS-EXT-STS:task_state");
  if (fails) {
    server->Set("status", "ERROR");
    server->Set("OS-EXT-STS:vm_state", "error");
    server->Set("OS-EXT-AZ:availability_zone", "");
    server->SetNull("OS-EXT-SRV-ATTR:root_device_name");
    server->SetJson("fault", absl::StrCat(R"({"code":500,"created":")", TimeText(world_.Now()),
                                          R"(","message":"No valid host was found. ","details":"Traceback"})"));
    return;
  }
  const std::string host = absl::StrCat("fake-", 1 + server->cell % kHosts);
  server->Set("status", "ACTIVE");
  server->Set("OS-EXT-STS:vm_state", "active");
  server->SetInt("OS-EXT-STS:power_state", kRunning);
  server->Set("OS-SRV-USG:launched_at", LongTimeText(world_.Now()));
  server->Set("OS-EXT-SRV-ATTR:host", host);
  server->Set("OS-EXT-SRV-ATTR:hypervisor_hostname", host);
  server->Set("host_status", "UP");
  server->Set("hostId", NewHexId() + NewHexId().substr(0, 24));
  rapidjson::Document addresses(rapidjson::kObjectType);
  json::Allocator& allocator = addresses.GetAllocator();
  for (const std::string& port_id : ports_[id].All()) {
    neutron_.BindPort(port_id, id, std::string(kOwner), host);
    const Object* port = neutron_.Port(port_id);
    const Object* network = port == nullptr ? nullptr : neutron_.Network(std::string(port->Text("network_id")));
    if (network == nullptr) continue;
    const absl::string_view name = network->Text("name");
    if (json::Find(addresses, {name}) == nullptr) json::Set(addresses, name, Value(rapidjson::kArrayType), allocator);
    for (const Value& fixed : json::Array(port->body(), {"fixed_ips"})) {
      const absl::string_view ip = json::String(fixed, {"ip_address"});
      Value address(rapidjson::kObjectType);
      json::Set(address, "version", Value(absl::StrContains(ip, ":") ? 6 : 4), allocator);
      json::Set(address, "addr", ip, allocator);
      json::Set(address, "OS-EXT-IPS:type", "fixed", allocator);
      json::Set(address, "OS-EXT-IPS-MAC:mac_addr", port->Text("mac_address"), allocator);
      addresses[std::string(name).c_str()].PushBack(address, allocator);
    }
  }
  server->Set("addresses", addresses);
  if (!addresses.ObjectEmpty()) ShowSecurityGroups(*server);
}

// By name, as its ports have them.
void Nova::ShowSecurityGroups(Object& server) const {
  std::set<std::string> names;
  for (const std::string& id : ports_.at(server.id()).All()) {
    const Object* port = neutron_.Port(id);
    if (port == nullptr) continue;
    for (const Value& group : json::Array(port->body(), {"security_groups"})) {
      if (const Object* found = neutron_.SecurityGroup(json::String(group))) names.emplace(found->Text("name"));
    }
  }
  rapidjson::Document list(rapidjson::kArrayType);
  for (const std::string& name : names) {
    Value group(rapidjson::kObjectType);
    json::Set(group, "name", name, list.GetAllocator());
    list.PushBack(group, list.GetAllocator());
  }
  if (!list.Empty()) server.Set("security_groups", list);
}

}  // namespace kupen::simulator
