// What is done with servers: create, change, act, delete; and what then happens by itself.
#include <algorithm>
#include <array>
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
constexpr absl::string_view kZone = "nova";
// Nova's running and stopped, as it numbers them.
constexpr int kRunning = 1;
constexpr int kShutDown = 4;

constexpr std::array<absl::string_view, 26> kMembers = {"name",
                                                        "flavorRef",
                                                        "imageRef",
                                                        "networks",
                                                        "key_name",
                                                        "user_data",
                                                        "security_groups",
                                                        "metadata",
                                                        "tags",
                                                        "description",
                                                        "config_drive",
                                                        "min_count",
                                                        "max_count",
                                                        "return_reservation_id",
                                                        "personality",
                                                        "availability_zone",
                                                        "accessIPv4",
                                                        "accessIPv6",
                                                        "adminPass",
                                                        "hostname",
                                                        "OS-DCF:diskConfig",
                                                        "host",
                                                        "block_device_mapping_v2",
                                                        "trusted_image_certificates",
                                                        "hypervisor_hostname",
                                                        "block_device_mapping"};

bool FitsAnyHost(const Object& flavor) {
  return json::Find(flavor.body(), {"vcpus"})->GetInt64() <= kHostVcpus &&
         json::Find(flavor.body(), {"ram"})->GetInt64() <= kHostMemory;
}

Answer Accepted() { return {.status = 202, .headers = {{"Content-Type", "application/json"}}}; }

}  // namespace

// What is known of a server before it is made.
struct Nova::NewServer {
  const Object* flavor = nullptr;
  // Where Neutron is to make ports, and the ports that are there.
  std::vector<Neutron::PortWanted> wanted;
  std::vector<std::string> given_ports;
  std::vector<std::string> groups;
  std::vector<std::string> own_ports = {};
  // Null if it is in none.
  Object* server_group = nullptr;
};

std::vector<std::string> Nova::Ports::All() const {
  std::vector<std::string> all = own;
  all.insert(all.end(), given.begin(), given.end());
  return all;
}

std::optional<Answer> Nova::CheckServer(const Call& call, const Value& given, NewServer& server) {
  for (const auto& member : given.GetObject()) {
    const absl::string_view name = json::String(member.name);
    if (std::find(kMembers.begin(), kMembers.end(), name) == kMembers.end()) {
      return Refuse(400, absl::StrCat("Invalid input for field/attribute server. Additional properties are not allowed ('",
                                      name, "' was unexpected)"));
    }
  }
  for (const absl::string_view required : {"name", "flavorRef"}) {
    if (json::Find(given, {required}) == nullptr) {
      return Refuse(400, absl::StrCat("Invalid input for field/attribute server. '", required, "' is a required property"));
    }
  }
  for (const Value& tag : json::Array(given, {"tags"})) {
    if (json::String(tag).find_first_of(",/") != absl::string_view::npos) {
      return Refuse(400, absl::StrCat("Invalid input for field/attribute 0. Value: ", json::String(tag), "."));
    }
  }
  const absl::string_view image = json::String(given, {"imageRef"});
  if (!image.empty() && !IsUuid(image))
    return Refuse(400, absl::StrCat("Invalid input for field/attribute imageRef. Value: ", image));
  const absl::string_view zone = json::String(given, {"availability_zone"});
  if (!zone.empty() && zone != kZone) return Refuse(400, "The requested availability zone is not available");
  const std::string flavor(json::String(given, {"flavorRef"}));
  server.flavor = FindFlavor(call, flavor);
  if (server.flavor == nullptr) return Refuse(400, absl::StrCat("Flavor ", flavor, " could not be found."));
  if (image.empty() && json::Array(given, {"block_device_mapping_v2"}).Empty()) {
    return Refuse(400, "Invalid imageRef provided.");
  }
  if (!image.empty()) {
    const Object* found = glance_.FindImage(call, image);
    if (found == nullptr) return Refuse(400, "Can not find requested image");
    if (found->Text("status") != "active") return Refuse(400, absl::StrCat("Image ", image, " is not active."));
  }
  const absl::string_view key = json::String(given, {"key_name"});
  if (!key.empty() && KeyPairsOf(call).Find(key) == nullptr) return Refuse(400, "Invalid key_name provided.");
  for (const Value& group : json::Array(given, {"security_groups"})) {
    const absl::string_view name = json::String(group, {"name"});
    const Object* found = neutron_.FindSecurityGroup(call, name);
    if (found == nullptr) return Refuse(400, absl::StrCat("Unable to find security_group with name or id '", name, "'"));
    server.groups.push_back(found->id());
  }
  const absl::string_view group = json::String(call.body, {"os:scheduler_hints", "group"});
  server.server_group = FindServerGroup(call, group);
  if (!group.empty() && server.server_group == nullptr) {
    return Refuse(400, absl::StrCat("Instance group ", group, " could not be found."));
  }
  if (std::optional<Answer> wrong = CheckVolumes(call, given)) return wrong;
  if (std::optional<Answer> wrong = CheckNetworks(call, given, server)) return wrong;
  return CheckQuota(call, given);
}

std::optional<Answer> Nova::CheckVolumes(const Call& call, const Value& given) const {
  for (const Value& device : json::Array(given, {"block_device_mapping_v2"})) {
    if (json::String(device, {"source_type"}) != "volume") continue;
    const absl::string_view id = json::String(device, {"uuid"});
    const Object* volume = cinder_.FindVolume(call, id);
    if (volume == nullptr) {
      return Refuse(400, absl::StrCat("Block Device Mapping is Invalid: failed to get volume ", id, "."));
    }
    if (volume->Text("status") != "available") {
      return Refuse(400, absl::StrCat("Invalid volume: volume ", id, " is ", volume->Text("status"), ", not available"));
    }
  }
  return std::nullopt;
}

std::optional<Answer> Nova::CheckQuota(const Call& call, const Value& given) const {
  const Account* account = world_.AccountOf(call.caller);
  if (account == nullptr || account->max_instances < 0) return std::nullopt;
  const Value* count = json::Find(given, {"min_count"});
  const int wanted = count != nullptr && count->IsInt() ? count->GetInt() : 1;
  const auto& rows = Objects("servers").rows();
  const auto used =
      std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.second->project() == call.caller.project_id; });
  if (used + wanted <= account->max_instances) return std::nullopt;
  return Refuse(403, absl::StrCat("Quota exceeded for instances: Requested ", wanted, ", but already used ", used, " of ",
                                  account->max_instances, " instances"));
}

std::optional<Answer> Nova::CheckNetworks(const Call& call, const Value& given, NewServer& server) {
  const Value* networks = json::Find(given, {"networks"});
  if (networks == nullptr && call.microversion >= 37) {
    return Refuse(400, "Invalid input for field/attribute server. 'networks' is a required property");
  }
  if (networks == nullptr || json::String(*networks) == "auto") {
    const std::vector<const Object*> own = neutron_.OwnNetworks(call);
    if (own.size() > 1) return Refuse(409, "Multiple possible networks found, use a Network ID to be more specific.");
    if (!own.empty()) server.wanted.push_back({.network = own.front()->id()});
    return std::nullopt;
  }
  for (const Value& item : json::Array(*networks)) {
    const absl::string_view port_id = json::String(item, {"port"});
    if (!port_id.empty()) {
      const Object* port = neutron_.FindPort(call, port_id);
      if (port == nullptr) return Refuse(400, absl::StrCat("Port ", port_id, " could not be found."));
      if (!port->Text("device_id").empty()) return Refuse(409, absl::StrCat("Port ", port_id, " is still in use."));
      server.given_ports.emplace_back(port_id);
      continue;
    }
    const std::string id(json::String(item, {"uuid"}));
    const Object* network = neutron_.FindNetwork(call, id);
    if (network == nullptr) return Refuse(400, absl::StrCat("Network ", id, " could not be found."));
    if (json::Array(network->body(), {"subnets"}).Empty()) {
      return Refuse(400, absl::StrCat("Network ", id, " requires a subnet in order to boot instances on."));
    }
    server.wanted.push_back({.network = id, .fixed_ip = std::string(json::String(item, {"fixed_ip"}))});
  }
  return std::nullopt;
}

std::optional<Answer> Nova::MakePorts(const Call& call, NewServer& server, const std::string& id) {
  for (Neutron::PortWanted& wanted : server.wanted) {
    wanted.device = id;
    wanted.owner = absl::StrCat("compute:", kZone);
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
  for (const std::string& port : made.given_ports) neutron_.BindPort(port, id, absl::StrCat("compute:", kZone), "");
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

void Nova::Touch(Object& server) const {
  server.updated = world_.Now();
  server.Set("updated", TimeText(server.updated));
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
    neutron_.BindPort(port_id, id, absl::StrCat("compute:", kZone), host);
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

Answer Nova::UpdateServer(Call& call) {
  Object* server = FindServer(call, call.Parameter(0));
  if (server == nullptr) return Refuse(404, absl::StrCat("Instance ", call.Parameter(0), " could not be found."));
  const Value* change = call.Envelope("server");
  if (change == nullptr) return Refuse(400, "Invalid input for field/attribute server.");
  for (const auto& member : change->GetObject()) {
    const absl::string_view name = json::String(member.name);
    const bool known = name == "name" || name == "description" || name == "accessIPv4" || name == "accessIPv6" ||
                       name == "hostname" || name == "OS-DCF:diskConfig";
    if (!known) {
      return Refuse(400, absl::StrCat("Invalid input for field/attribute server. Additional properties are not allowed ('",
                                      name, "' was unexpected)"));
    }
    server->Set(name == "hostname" ? "OS-EXT-SRV-ATTR:hostname" : name, member.value);
  }
  Touch(*server);
  return OneServer(call, *server);
}

Answer Nova::ReplaceMetadata(Call& call) {
  Object* server = FindServer(call, call.Parameter(0));
  if (server == nullptr) return Refuse(404, absl::StrCat("Instance ", call.Parameter(0), " could not be found."));
  const Value* metadata = call.Envelope("metadata");
  if (metadata == nullptr) return Refuse(400, "Invalid input for field/attribute metadata.");
  server->Set("metadata", *metadata);
  Touch(*server);
  return JsonAnswer(200, absl::StrCat(R"({"metadata":)", json::Write(*metadata), "}"));
}

Answer Nova::ReplaceTags(Call& call) {
  Object* server = FindServer(call, call.Parameter(0));
  if (server == nullptr) return Refuse(404, absl::StrCat("Instance ", call.Parameter(0), " has no mapping to a cell."));
  const Value* tags = json::Find(call.body, {"tags"});
  if (tags == nullptr || !tags->IsArray()) return Refuse(400, "Invalid input for field/attribute tags.");
  server->Set("tags", *tags);
  Touch(*server);
  return JsonAnswer(200, absl::StrCat(R"({"tags":)", json::Write(*tags), "}"));
}

Answer Nova::Act(Call& call) {
  Object* server = FindServer(call, call.Parameter(0));
  if (server == nullptr) return Refuse(404, absl::StrCat("Instance ", call.Parameter(0), " could not be found."));
  const std::string action(call.body.IsObject() && !call.body.ObjectEmpty() ? json::String(call.body.MemberBegin()->name) : "");
  const bool starts = action == "os-start";
  if (!starts && action != "os-stop") return Refuse(400, absl::StrCat("There is no such action: ", action));
  const absl::string_view state = server->Text("OS-EXT-STS:vm_state");
  if (state != (starts ? "stopped" : "active")) {
    return Refuse(409, absl::StrCat("Cannot '", starts ? "start" : "stop", "' instance ", server->id(),
                                    " while it is in vm_state ", state));
  }
  server->Set("OS-EXT-STS:task_state", starts ? "powering-on" : "powering-off");
  Touch(*server);
  call.Later(world_.options.action_time, [this, id = server->id(), starts] { FinishAction(id, starts); });
  return Accepted();
}

void Nova::FinishAction(const std::string& id, bool runs) {
  Object* server = Objects("servers").Find(id);
  if (server == nullptr || server->Text("OS-EXT-STS:task_state") == "deleting") return;
  server->Set("status", runs ? "ACTIVE" : "SHUTOFF");
  server->Set("OS-EXT-STS:vm_state", runs ? "active" : "stopped");
  server->SetInt("OS-EXT-STS:power_state", runs ? kRunning : kShutDown);
  server->SetNull("OS-EXT-STS:task_state");
  Touch(*server);
}

Answer Nova::ListInterfaces(Call& call) {
  const Object* server = FindServer(call, call.Parameter(0));
  if (server == nullptr) return Refuse(404, absl::StrCat("Instance ", call.Parameter(0), " could not be found."));
  Json out;
  Writer& writer = out.writer();
  writer.StartObject();
  out.Key("interfaceAttachments");
  writer.StartArray();
  for (const std::string& id : ports_[server->id()].All()) {
    const Object* port = neutron_.Port(id);
    if (port == nullptr) continue;
    writer.StartObject();
    out.Text("net_id", port->Text("network_id")).Text("port_id", id).Text("mac_addr", port->Text("mac_address"));
    out.Text("port_state", port->Text("status")).Value("fixed_ips", *json::Find(port->body(), {"fixed_ips"}));
    if (call.microversion >= 70) {
      out.Key("tag");
      writer.Null();
    }
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Nova::DeleteServer(Call& call) {
  Object* server = FindServer(call, call.Parameter(0));
  if (server == nullptr) return Refuse(404, absl::StrCat("Instance ", call.Parameter(0), " could not be found."));
  if (server->Text("OS-EXT-STS:task_state") == "deleting") return {.status = 204};
  server->Set("OS-EXT-STS:task_state", "deleting");
  Touch(*server);
  call.Later(world_.options.delete_time, [this, id = server->id()] { FinishDelete(id); });
  return {.status = 204};
}

void Nova::FinishDelete(const std::string& id) {
  Object* server = Objects("servers").Find(id);
  if (server == nullptr) return;
  for (const std::string& port : ports_[id].own) neutron_.DeletePort(port);
  for (const std::string& port : ports_[id].given) neutron_.UnbindPort(port);
  ports_.erase(id);
  for (const Value& volume : json::Array(server->body(), {"os-extended-volumes:volumes_attached"})) {
    const Value* goes_too = json::Find(volume, {"delete_on_termination"});
    cinder_.Detach(std::string(json::String(volume, {"id"})), goes_too != nullptr && goes_too->IsTrue());
  }
  LeaveServerGroups(*server);
  // What changes-since still tells of it.
  Object& remains = Objects("deleted_servers").Add(id, server->project());
  remains.Merge(server->body());
  remains.cell = server->cell;
  remains.created = server->created;
  remains.Set("status", "DELETED");
  remains.Set("OS-EXT-STS:vm_state", "deleted");
  remains.SetNull("OS-EXT-STS:task_state");
  remains.SetInt("OS-EXT-STS:power_state", 0);
  remains.Set("OS-SRV-USG:terminated_at", LongTimeText(world_.Now()));
  remains.SetJson("metadata", "{}");
  remains.SetJson("addresses", "{}");
  remains.SetJson("tags", "[]");
  remains.SetJson("os-extended-volumes:volumes_attached", "[]");
  remains.Remove("security_groups");
  Touch(remains);
  Objects("servers").Remove(id);
}

}  // namespace kupen::simulator
