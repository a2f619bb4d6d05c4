#include "test/simulator/cinder.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

constexpr int kHighest = 70;

absl::string_view FaultName(int status) {
  switch (status) {
    case 400:
      return "badRequest";
    case 403:
      return "forbidden";
    case 404:
      return "itemNotFound";
    case 409:
      return "conflictingRequest";
    case 413:
      return "overLimit";
    default:
      return "computeFault";
  }
}

bool IsAdminMember(absl::string_view name) {
  return name == "migration_status" || absl::StartsWith(name, "os-vol-mig") || absl::StartsWith(name, "os-vol-host");
}

}  // namespace

Cinder::Cinder(World& world, const Glance& glance)
    : Service(world, {.type = "block-storage", .prefix = "/volume", .version = "/v3", .project_in_path = true}),
      glance_(glance) {
  On("POST", "/volumes", [this](Call& call) { return Create(call); });
  On("GET", "/volumes", [this](Call& call) { return List(call, false); });
  On("GET", "/volumes/detail", [this](Call& call) { return List(call, true); });
  On("GET", "/volumes/{id}", [this](Call& call) { return Show(call); });
  On("PUT", "/volumes/{id}", [this](Call& call) { return Update(call); });
  On("DELETE", "/volumes/{id}", [this](Call& call) { return Delete(call); });
  On("GET", "/types", [this](Call& call) { return ListTypes(call); });
  Object& type = Objects("volume_types").Add(NewUuid(), "");
  type.Merge(*json::Parse(R"({"id":"","name":"__DEFAULT__","is_public":true,"description":"Default Volume Type",
      "extra_specs":{},"os-volume-type-access:is_public":true})"));
  type.Set("id", type.id());
}

Answer Cinder::Versions(const Call& /*call*/, bool below_version) {
  return JsonAnswer(
      below_version ? 200 : 300,
      absl::StrCat(
          R"({"versions":[{"id":"v3.0","status":"CURRENT","version":"3.)", kHighest,
          R"(","min_version":"3.0","updated":"2022-08-31T00:00:00Z","links":[{"rel":"describedby","type":"text/html",)",
          R"("href":"https://docs.openstack.org/"},{"rel":"self","href":")", Url(),
          R"(/v3/"}],"media-types":[{"base":"application/json",)",
          R"("type":"application/vnd.openstack.volume+json;version=3"}]}]})"));
}

Answer Cinder::Refuse(int status, absl::string_view message) const {
  Json out;
  out.writer().StartObject();
  out.Key(status == 401 ? "error" : FaultName(status)).writer().StartObject();
  out.Key("code").writer().Int(status);
  if (status == 401) out.Text("title", "Unauthorized");
  out.Text("message", message);
  if (status == 413) out.Text("retryAfter", "0");
  out.writer().EndObject();
  out.writer().EndObject();
  return JsonAnswer(status, out.Take());
}

std::optional<Answer> Cinder::CheckVersion(Call& call) const {
  absl::string_view wanted = http::Find(call.request->headers, "OpenStack-API-Version");
  call.microversion = 0;
  if (!absl::ConsumePrefix(&wanted, "volume ")) return std::nullopt;
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(wanted, absl::MaxSplits('.', 1));
  if (wanted == "latest") {
    call.microversion = kHighest;
  } else if (parts.first != "3" || !absl::SimpleAtoi(parts.second, &call.microversion) || call.microversion > kHighest) {
    return Refuse(
        406, absl::StrCat("Version ", wanted, " is not supported by the API. Minimum is 3.0 and maximum is 3.", kHighest, "."));
  }
  return std::nullopt;
}

void Cinder::AddHeaders(const Call& call, Answer& answer) const {
  answer.headers.emplace_back("OpenStack-API-Version", absl::StrCat("volume 3.", call.microversion));
}

Object* Cinder::Find(const Call& call, absl::string_view id) const {
  Object* volume = Objects("volumes").Find(id);
  if (volume == nullptr || call.faults.Hides(id)) return nullptr;
  return call.caller.is_admin || volume->project() == call.caller.project_id ? volume : nullptr;
}

void Cinder::Write(Json& out, const Call& call, const Object& volume, bool detailed, bool with_tenant) const {
  out.writer().StartObject();
  WriteMembers(out, volume.body(), [&](absl::string_view name) {
    if (!detailed) return name == "id" || name == "name";
    if (name == "os-vol-tenant-attr:tenant_id") return with_tenant;
    return with_tenant && call.caller.is_admin ? true : !IsAdminMember(name);
  });
  out.Key("links").writer().StartArray();
  for (const auto& [rel, version] : {std::pair("self", "/v3/"), {"bookmark", "/"}}) {
    out.writer().StartObject();
    out.Text("rel", rel).Text("href", absl::StrCat(Url(), version, call.caller.project_id, "/volumes/", volume.id()));
    out.writer().EndObject();
  }
  out.writer().EndArray();
  out.writer().EndObject();
}

Answer Cinder::One(const Call& call, int status, const Object& volume, bool with_tenant) const {
  Json out;
  out.writer().StartObject();
  out.Key("volume");
  Write(out, call, volume, true, with_tenant);
  out.writer().EndObject();
  return JsonAnswer(status, out.Take());
}

void Cinder::Touch(Object& volume) const {
  volume.updated = world_.Now();
  volume.Set("updated_at", LongTimeText(volume.updated));
}

Object& Cinder::Add(const Call& call, const Value& given) {
  Object& volume = Objects("volumes").Add(NewUuid(), call.caller.project_id);
  volume.Merge(*json::Parse(R"({"id":"","status":"creating","size":1,"availability_zone":"nova","created_at":"",
      "updated_at":null,"name":null,"description":null,"volume_type":"__DEFAULT__","snapshot_id":null,"source_volid":null,
      "metadata":{},"user_id":"","bootable":"false","encrypted":false,"replication_status":null,"consistencygroup_id":null,
      "multiattach":false,"attachments":[],"migration_status":null,"os-vol-tenant-attr:tenant_id":"",
      "os-vol-mig-status-attr:migstat":null,"os-vol-mig-status-attr:name_id":null,"os-vol-host-attr:host":"sim@fake#pool"})"));
  for (const absl::string_view member : {"size", "name", "description", "metadata", "availability_zone"}) {
    if (const Value* value = json::Find(given, {member})) volume.Set(member, *value);
  }
  volume.created = world_.Now();
  volume.Set("id", volume.id());
  volume.Set("user_id", call.caller.user_id);
  volume.Set("created_at", LongTimeText(volume.created));
  volume.Set("os-vol-tenant-attr:tenant_id", call.caller.project_id);
  call.Later(world_.options.volume_time, [this, id = volume.id(), fails = call.faults.fail] {
    Object* made = Objects("volumes").Find(id);
    if (made == nullptr || made->Text("status") != "creating") return;
    made->Set("status", fails ? "error" : "available");
    Touch(*made);
  });
  return volume;
}

Answer Cinder::Create(Call& call) {
  const Value* given = call.Envelope("volume");
  const Value* size = given == nullptr ? nullptr : json::Find(*given, {"size"});
  if (size == nullptr || !size->IsInt() || size->GetInt() < 1) return Refuse(400, "Invalid input for field/attribute size.");
  if (std::optional<Answer> full = CheckQuota(call, size->GetInt())) return *std::move(full);
  const std::string image(json::String(*given, {"imageRef"}));
  const Object* source = image.empty() ? nullptr : glance_.FindImage(call, image);
  if (!image.empty() && source == nullptr) return Refuse(400, "Invalid image identifier or unable to access requested image.");
  Object& volume = Add(call, *given);
  Answer answer = One(call, 202, volume, /*with_tenant=*/false);
  // The answer is older than what becomes of it.
  if (source != nullptr) FillFrom(*source, volume);
  return answer;
}

std::optional<Answer> Cinder::CheckQuota(const Call& call, int size) const {
  const Account* account = world_.AccountOf(call.caller);
  if (account == nullptr || account->max_gigabytes < 0) return std::nullopt;
  int64_t used = 0;
  for (const auto& [order, volume] : Objects("volumes").rows()) {
    if (volume->project() == call.caller.project_id) used += json::Find(volume->body(), {"size"})->GetInt64();
  }
  if (used + size <= account->max_gigabytes) return std::nullopt;
  return Refuse(413, absl::StrCat("VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes ",
                                  "quota. Requested ", size, "G, quota is ", account->max_gigabytes, "G and ", used,
                                  "G has been consumed."));
}

Answer Cinder::List(Call& call, bool detailed) {
  const bool everywhere = call.caller.is_admin && call.HasQuery("all_tenants");
  const Page page = SelectPage(call, Objects("volumes"), {.newest_first = true}, [&](const Object& volume) {
    if (call.faults.Hides(volume.id()) || (!everywhere && volume.project() != call.caller.project_id)) return false;
    return (!call.HasQuery("name") || volume.Text("name") == call.Query("name")) &&
           (!call.HasQuery("status") || volume.Text("status") == call.Query("status"));
  });
  if (page.problem == Page::Problem::kMarker)
    return Refuse(404, absl::StrCat("Volume ", call.Query("marker"), " could not be found."));
  if (page.problem == Page::Problem::kLimit) return Refuse(400, "limit param must be an integer");
  Json out;
  out.writer().StartObject();
  out.Key("volumes").writer().StartArray();
  for (const Object* volume : page.rows) Write(out, call, *volume, detailed, /*with_tenant=*/true);
  out.writer().EndArray();
  if (page.full) {
    out.Key("volumes_links").writer().StartArray();
    out.writer().StartObject();
    out.Text("rel", "next")
        .Text("href", absl::StrCat(Url(), "/v3/", call.caller.project_id, call.path, "?",
                                   QueryWithMarker(call, page.rows.back()->id())));
    out.writer().EndObject();
    out.writer().EndArray();
  }
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Cinder::Show(Call& call) {
  const Object* volume = Find(call, call.Parameter(0));
  if (volume == nullptr) return Refuse(404, absl::StrCat("Volume ", call.Parameter(0), " could not be found."));
  return One(call, 200, *volume, /*with_tenant=*/true);
}

Answer Cinder::Update(Call& call) {
  Object* volume = Find(call, call.Parameter(0));
  if (volume == nullptr) return Refuse(404, absl::StrCat("Volume ", call.Parameter(0), " could not be found."));
  const Value* change = call.Envelope("volume");
  if (change == nullptr) return Refuse(400, "Missing required element 'volume' in request body.");
  for (const absl::string_view member : {"name", "description", "metadata"}) {
    if (const Value* value = json::Find(*change, {member})) volume->Set(member, *value);
  }
  Touch(*volume);
  return One(call, 200, *volume, /*with_tenant=*/false);
}

Answer Cinder::Delete(Call& call) {
  Object* volume = Find(call, call.Parameter(0));
  if (volume == nullptr) return Refuse(404, absl::StrCat("Volume ", call.Parameter(0), " could not be found."));
  if (volume->Text("status") != "available" && volume->Text("status") != "error") {
    return Refuse(400,
                  absl::StrCat("Invalid volume: Volume status must be available or error, but is ", volume->Text("status")));
  }
  volume->Set("status", "deleting");
  Touch(*volume);
  call.Later(world_.options.volume_time, [this, id = volume->id()] { Objects("volumes").Remove(id); });
  return {.status = 202, .headers = {{"Content-Type", "text/html; charset=UTF-8"}}};
}

Answer Cinder::ListTypes(Call& /*call*/) {
  Json out;
  out.writer().StartObject();
  out.Key("volume_types").writer().StartArray();
  for (const auto& [order, type] : Objects("volume_types").rows()) type->body().Accept(out.writer());
  out.writer().EndArray();
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

std::string Cinder::MakeVolume(const Call& call, int size, const Object* image) {
  Object& volume = Add(call, *json::Parse(absl::StrCat(R"({"size":)", size, R"(,"name":"","description":""})")));
  if (image != nullptr) FillFrom(*image, volume);
  return volume.id();
}

// What Cinder keeps of an image, all of it as text.
void Cinder::FillFrom(const Object& image, Object& volume) {
  rapidjson::Document kept(rapidjson::kObjectType);
  json::Set(kept, "image_id", image.id(), kept.GetAllocator());
  json::Set(kept, "image_name", image.Text("name"), kept.GetAllocator());
  for (const absl::string_view name : {"checksum", "container_format", "disk_format", "min_disk", "min_ram", "size"}) {
    const Value& value = *json::Find(image.body(), {name});
    json::Set(kept, name, value.IsString() ? std::string(json::String(value)) : json::Write(value), kept.GetAllocator());
  }
  for (const auto& member : image.body().GetObject()) {
    const absl::string_view name = json::String(member.name);
    if (absl::StartsWith(name, "owner_specified.")) json::Set(kept, name, json::String(member.value), kept.GetAllocator());
  }
  volume.Set("volume_image_metadata", kept);
  volume.Set("bootable", "true");
}

void Cinder::Attach(const std::string& id, const std::string& server) {
  Object* volume = Objects("volumes").Find(id);
  if (volume == nullptr) return;
  volume->Set("status", "in-use");
  volume->SetJson("attachments", absl::StrCat(R"([{"id":")", id, R"(","attachment_id":")", NewUuid(), R"(","volume_id":")", id,
                                              R"(","server_id":")", server, R"(","host_name":null,"device":"/dev/sda",)",
                                              R"("attached_at":")", LongTimeText(world_.Now()), R"("}])"));
  Touch(*volume);
}

void Cinder::Detach(const std::string& id, bool remove) {
  Object* volume = Objects("volumes").Find(id);
  if (volume == nullptr) return;
  if (remove) return Objects("volumes").Remove(id);
  volume->Set("status", "available");
  volume->SetJson("attachments", "[]");
  Touch(*volume);
}

}  // namespace kupen::simulator
