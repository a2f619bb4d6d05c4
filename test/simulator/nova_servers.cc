// What is done with a server: change, act, delete.
#include <utility>

#include "absl/strings/str_cat.h"
#include "provider/json/json.h"
#include "test/simulator/nova.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

// Nova's running and stopped, as it numbers them.
constexpr int kRunning = 1;
constexpr int kShutDown = 4;

Answer Accepted() { return {.status = 202, .headers = {{"Content-Type", "application/json"}}}; }

}  // namespace

std::vector<std::string> Nova::Ports::All() const {
  std::vector<std::string> all = own;
  all.insert(all.end(), given.begin(), given.end());
  return all;
}

void Nova::Touch(Object& server) const {
  server.updated = world_.Now();
  server.Set("updated", TimeText(server.updated));
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
