#include "test/simulator/glance.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

constexpr std::array<absl::string_view, 14> kReadOnly = {"checksum", "created_at", "direct_url",   "file",         "id",
                                                         "owner",    "schema",     "self",         "size",         "status",
                                                         "stores",   "updated_at", "os_hash_algo", "os_hash_value"};
constexpr std::array<absl::string_view, 11> kDiskFormats = {"ami", "ari",   "aki", "vhd", "vhdx", "vmdk",
                                                            "raw", "qcow2", "vdi", "iso", "ploop"};
constexpr std::array<absl::string_view, 8> kContainerFormats = {"ami", "ari", "aki",    "bare",
                                                                "ovf", "ova", "docker", "compressed"};
constexpr std::array<absl::string_view, 4> kVisibilities = {"community", "public", "private", "shared"};
constexpr std::array<absl::string_view, 8> kListControls = {"limit",    "marker",        "sort",      "sort_key",
                                                            "sort_dir", "member_status", "os_hidden", "visibility"};

template <typename List>
bool Has(const List& list, absl::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string Digest(const EVP_MD* kind, absl::string_view data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  EVP_Digest(data.data(), data.size(), digest.data(), &size, kind, nullptr);
  return absl::BytesToHexString({reinterpret_cast<const char*>(digest.data()), size});
}

absl::string_view ReasonOf(int status) {
  switch (status) {
    case 400:
      return "400 Bad Request";
    case 401:
      return "401 Unauthorized";
    case 403:
      return "403 Forbidden";
    case 404:
      return "404 Not Found";
    case 409:
      return "409 Conflict";
    case 413:
      return "413 Request Entity Too Large";
    case 415:
      return "415 Unsupported Media Type";
    case 429:
      return "429 Too Many Requests";
    case 503:
      return "503 Service Unavailable";
    default:
      return "500 Internal Server Error";
  }
}

}  // namespace

Glance::Glance(World& world) : Service(world, {.type = "image", .prefix = "/image", .version = "/v2"}) {
  On("POST", "/images", [this](Call& call) { return Create(call); });
  On("GET", "/images", [this](Call& call) { return List(call); });
  On("GET", "/images/{id}", [this](Call& call) { return Show(call); });
  On("PATCH", "/images/{id}", [this](Call& call) { return Patch(call); });
  On("PUT", "/images/{id}/file", [this](Call& call) { return Upload(call); });
  On("DELETE", "/images/{id}", [this](Call& call) { return Delete(call); });
  On("GET", "/info/import", [](Call&) {
    return JsonAnswer(
        200, R"({"import-methods":{"description":"Import methods available.","type":"array","value":["glance-direct"]}})");
  });
}

Answer Glance::Versions(const Call& /*call*/, bool below_version) {
  if (below_version) return Refuse(404, "The resource could not be found.");
  std::string versions;
  for (const int minor : {15, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}) {
    absl::StrAppend(&versions, versions.empty() ? "" : ",", R"({"id":"v2.)", minor, R"(","status":")",
                    minor == 15 ? "CURRENT" : "SUPPORTED", R"(","links":[{"rel":"self","href":")", Url(), R"(/v2/"}]})");
  }
  return JsonAnswer(300, absl::StrCat(R"({"versions":[)", versions, "]}"));
}

// As for those who ask for JSON; others get a page. The message has what it would have there.
Answer Glance::Refuse(int status, absl::string_view message) const {
  const absl::string_view reason = ReasonOf(status);
  Json out;
  out.writer().StartObject();
  out.Text("message", absl::StrCat(message, "<br /><br />\n\n\n")).Text("code", reason);
  out.Text("title", reason.substr(reason.find(' ') + 1)).writer().EndObject();
  return JsonAnswer(status, out.Take());
}

Object* Glance::Find(const Call& call, absl::string_view id) const {
  Object* image = Objects("images").Find(id);
  if (image == nullptr || call.faults.Hides(id)) return nullptr;
  const absl::string_view visibility = image->Text("visibility");
  const bool visible =
      call.caller.is_admin || image->project() == call.caller.project_id || visibility == "public" || visibility == "community";
  return visible ? image : nullptr;
}

// One that the caller may change; null with what is wrong.
Object* Glance::FindOwn(const Call& call, absl::string_view id, Answer& wrong) const {
  Object* image = Find(call, id);
  if (image == nullptr) {
    wrong = Refuse(404, absl::StrCat("No image found with ID ", id));
  } else if (!call.caller.is_admin && image->project() != call.caller.project_id) {
    wrong = Refuse(403, "You are not authorized to complete this action.");
    return nullptr;
  }
  return image;
}

std::optional<Answer> Glance::CheckMember(const Call& call, absl::string_view name, const Value& value) const {
  const auto mismatch = [&] {
    return Refuse(
        400, absl::StrCat("Provided object does not match schema 'image': ", json::Write(value), " is not valid for ", name));
  };
  const absl::string_view text = json::String(value);
  if (name == "disk_format" && !value.IsNull() && !Has(kDiskFormats, text)) return mismatch();
  if (name == "container_format" && !value.IsNull() && !Has(kContainerFormats, text)) return mismatch();
  if ((name == "min_disk" || name == "min_ram") && !value.IsInt64()) return mismatch();
  if ((name == "protected" || name == "os_hidden") && !value.IsBool()) return mismatch();
  if (name == "tags" && !value.IsArray()) return mismatch();
  if (name != "visibility") return std::nullopt;
  if (!Has(kVisibilities, text)) return mismatch();
  if (text == "public" && !call.caller.is_admin)
    return Refuse(403, "You are not authorized to complete publicize_image action.");
  return std::nullopt;
}

Object& Glance::Add(const std::string& id, const std::string& project, const Value& given) {
  Object& image = Objects("images").Add(id, project);
  image.Merge(*json::Parse(R"({"name":null,"disk_format":null,"container_format":null,"visibility":"shared","size":null,
      "virtual_size":null,"status":"queued","checksum":null,"protected":false,"min_ram":0,"min_disk":0,"owner":"",
      "os_hidden":false,"os_hash_algo":null,"os_hash_value":null,"id":"","created_at":"","updated_at":"","tags":[],
      "self":"","file":"","schema":"/v2/schemas/image"})"));
  image.Merge(given);
  image.created = world_.Now();
  image.Set("id", id);
  image.Set("owner", project);
  image.Set("self", absl::StrCat("/v2/images/", id));
  image.Set("file", absl::StrCat("/v2/images/", id, "/file"));
  image.Set("created_at", TimeText(image.created));
  Touch(image);
  used_ids_.insert(id);
  return image;
}

void Glance::Touch(Object& image) const {
  image.updated = world_.Now();
  image.Set("updated_at", TimeText(image.updated));
}

void Glance::SeedImage(const std::string& project, absl::string_view name, size_t size) {
  const auto given = json::Parse(R"({"disk_format":"raw","container_format":"bare","visibility":"public",
      "owner_specified.openstack.md5":"","owner_specified.openstack.sha256":"","owner_specified.openstack.object":""})");
  Object& image = Add(NewUuid(), project, *given);
  image.Set("name", name);
  Store(image, std::string(size, '\0'));
}

// Only what is known of the data is kept, not the data.
void Glance::Store(Object& image, absl::string_view data) const {
  image.SetInt("size", static_cast<int64_t>(data.size()));
  if (image.Text("disk_format") == "raw") image.SetInt("virtual_size", static_cast<int64_t>(data.size()));
  image.Set("checksum", Digest(EVP_md5(), data));
  image.Set("os_hash_algo", "sha512");
  image.Set("os_hash_value", Digest(EVP_sha512(), data));
  image.Set("stores", "file");
  image.Set("status", "active");
  Touch(image);
}

Answer Glance::Create(Call& call) {
  if (!call.body.IsObject()) return Refuse(400, "Malformed JSON in request body.");
  for (const auto& member : call.body.GetObject()) {
    const absl::string_view name = json::String(member.name);
    if (name != "id" && Has(kReadOnly, name)) return Refuse(403, absl::StrCat("Attribute '", name, "' is read-only."));
    if (std::optional<Answer> wrong = CheckMember(call, name, member.value)) return *std::move(wrong);
  }
  std::string id(json::String(call.body, {"id"}));
  if (id.empty()) id = NewUuid();
  if (!IsUuid(id)) return Refuse(400, absl::StrCat("Provided object does not match schema 'image': '", id, "' does not match"));
  if (used_ids_.contains(id)) return Refuse(409, absl::StrCat("Image ID ", id, " already exists!"));
  const Object& image = Add(id, call.caller.project_id, call.body);
  Answer answer = JsonAnswer(201, json::Write(image.body()));
  answer.headers.emplace_back("Location", absl::StrCat(Url(), "/v2/images/", id));
  answer.headers.emplace_back("OpenStack-image-import-methods", "glance-direct");
  return answer;
}

bool Glance::FitsFilters(const Call& call, const Object& image) const {
  const absl::string_view visibility = image.Text("visibility");
  // Lists have less than can be seen: neither hidden images, nor others' community images.
  if (image.IsTrue("os_hidden") != (call.Query("os_hidden") == "true")) return false;
  if (visibility == "community" && image.project() != call.caller.project_id && call.Query("visibility") != "community")
    return false;
  if (call.HasQuery("visibility") && call.Query("visibility") != "all" && call.Query("visibility") != visibility) return false;
  for (const auto& [name, value] : call.query) {
    if (Has(kListControls, name)) continue;
    absl::string_view wanted = value;
    if (name == "tag") {
      const auto tags = json::Array(image.body(), {"tags"});
      if (std::none_of(tags.begin(), tags.end(), [&](const Value& tag) { return json::String(tag) == wanted; })) return false;
      continue;
    }
    const Value* member = json::Find(image.body(), {name});
    if (member == nullptr) return false;
    const std::string text = member->IsString() ? std::string(json::String(*member)) : json::Write(*member);
    const bool fits = absl::ConsumePrefix(&wanted, "in:")
                          ? Has(std::vector<absl::string_view>(absl::StrSplit(wanted, ',')), text)
                          : absl::EqualsIgnoreCase(text, wanted);
    if (!fits) return false;
  }
  return true;
}

Answer Glance::List(Call& call) {
  const Page page = SelectPage(call, Objects("images"), {.newest_first = true, .usual = 25}, [&](const Object& image) {
    return Find(call, image.id()) != nullptr && FitsFilters(call, image);
  });
  if (page.problem == Page::Problem::kMarker) return Refuse(400, absl::StrCat("No image found with ID ", call.Query("marker")));
  if (page.problem == Page::Problem::kLimit) return Refuse(400, "limit param must be an integer");
  Json out;
  out.writer().StartObject();
  out.Key("images").writer().StartArray();
  for (const Object* image : page.rows) image->body().Accept(out.writer());
  out.writer().EndArray();
  const std::string first = QueryWithMarker(call, "");
  out.Text("first", absl::StrCat("/v2/images", first.empty() ? "" : "?", first)).Text("schema", "/v2/schemas/images");
  // Glance gives it whenever the page is full.
  if (page.full) out.Text("next", absl::StrCat("/v2/images?", QueryWithMarker(call, page.rows.back()->id())));
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Glance::Show(Call& call) {
  const Object* image = Find(call, call.Parameter(0));
  if (image == nullptr) return Refuse(404, absl::StrCat("No image found with ID ", call.Parameter(0)));
  return JsonAnswer(200, json::Write(image->body()));
}

Answer Glance::Patch(Call& call) {
  if (!absl::StartsWith(call.request->content_type, "application/openstack-images-v2.")) {
    return Refuse(415,
                  absl::StrCat("The request media type ", call.request->content_type, " is not supported by this server."));
  }
  Answer wrong;
  Object* image = FindOwn(call, call.Parameter(0), wrong);
  if (image == nullptr) return wrong;
  if (!call.body.IsArray()) return Refuse(400, "Request body must be a JSON array of operation objects.");
  const Value none;
  for (const Value& operation : call.body.GetArray()) {
    const std::string name =
        absl::StrReplaceAll(absl::StripPrefix(json::String(operation, {"path"}), "/"), {{"~1", "/"}, {"~0", "~"}});
    const absl::string_view op = json::String(operation, {"op"});
    const Value* value = json::Find(operation, {"value"});
    if (Has(kReadOnly, name)) return Refuse(403, absl::StrCat("Attribute '", name, "' is read-only."));
    if (op != "add" && json::Find(image->body(), {name}) == nullptr) {
      return Refuse(
          409, absl::StrCat("There was a conflict when trying to complete your request. Property ", name, " does not exist."));
    }
    if (op != "remove" && value == nullptr) return Refuse(400, "Operation must have a value.");
    if (std::optional<Answer> bad = CheckMember(call, name, value == nullptr ? none : *value);
        bad.has_value() && op != "remove") {
      return *std::move(bad);
    }
  }
  for (const Value& operation : call.body.GetArray()) {
    const std::string name =
        absl::StrReplaceAll(absl::StripPrefix(json::String(operation, {"path"}), "/"), {{"~1", "/"}, {"~0", "~"}});
    if (json::String(operation, {"op"}) == "remove") {
      image->Remove(name);
    } else {
      image->Set(name, *json::Find(operation, {"value"}));
    }
  }
  Touch(*image);
  return JsonAnswer(200, json::Write(image->body()));
}

Answer Glance::Upload(Call& call) {
  if (call.request->content_type != "application/octet-stream") {
    return Refuse(415,
                  absl::StrCat("The request media type ", call.request->content_type, " is not supported by this server."));
  }
  Answer wrong;
  Object* image = FindOwn(call, call.Parameter(0), wrong);
  if (image == nullptr) return wrong;
  if (image->Text("status") != "queued") {
    return Refuse(409, absl::StrCat("Image status transition from ", image->Text("status"), " to saving is not allowed"));
  }
  if (call.faults.stuck || world_.options.save_time > absl::ZeroDuration()) {
    image->Set("status", "saving");
    Touch(*image);
    // Glance answers when all is stored.
    call.delay += call.faults.stuck ? absl::ZeroDuration() : world_.options.save_time;
    call.Later(world_.options.save_time, [this, id = image->id(), data = call.request->body] {
      if (Object* saved = Objects("images").Find(id)) Store(*saved, data);
    });
  } else {
    Store(*image, call.request->body);
  }
  return {.status = 204, .headers = {{"Content-Type", "text/html; charset=UTF-8"}}};
}

Answer Glance::Delete(Call& call) {
  Answer wrong;
  Object* image = FindOwn(call, call.Parameter(0), wrong);
  if (image == nullptr && wrong.status == 404) {
    return Refuse(404, absl::StrCat("Failed to find image ", call.Parameter(0), " to delete"));
  }
  if (image == nullptr) return wrong;
  if (image->IsTrue("protected")) {
    return Refuse(403, absl::StrCat("Image ", image->id(), " is protected and cannot be deleted."));
  }
  Objects("images").Remove(call.Parameter(0));
  return {.status = 204, .headers = {{"Content-Type", "text/html; charset=UTF-8"}}};
}

}  // namespace kupen::simulator
