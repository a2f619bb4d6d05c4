#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"
#include "test/simulator/nova.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

constexpr int kDescriptionSince = 55;
constexpr int kExtraSpecsSince = 61;
constexpr int kSwapIsNumberSince = 75;

}  // namespace

void Nova::SeedFlavor(absl::string_view name, int ram, int vcpus, int disk) {
  const auto given =
      json::Parse(absl::StrCat(R"({"name":")", name, R"(","ram":)", ram, R"(,"vcpus":)", vcpus, R"(,"disk":)", disk, "}"));
  AddFlavor(NewUuid(), *given);
}

Object& Nova::AddFlavor(const std::string& id, const Value& given) {
  Object& flavor = Objects("flavors").Add(id, "");
  flavor.Merge(*json::Parse(R"({"id":"","name":"","ram":0,"disk":0,"swap":0,"OS-FLV-EXT-DATA:ephemeral":0,
      "OS-FLV-DISABLED:disabled":false,"vcpus":1,"os-flavor-access:is_public":true,"rxtx_factor":1.0,"description":null,
      "extra_specs":{}})"));
  flavor.Merge(given);
  // Nova takes numbers as text, too.
  for (const absl::string_view name : {"ram", "vcpus", "disk", "swap", "OS-FLV-EXT-DATA:ephemeral"}) {
    int64_t number = 0;
    if (absl::SimpleAtoi(flavor.Text(name), &number)) flavor.SetInt(name, number);
  }
  flavor.Set("id", id);
  return flavor;
}

Object* Nova::FindFlavor(const Call& call, absl::string_view id) const {
  Object* flavor = Objects("flavors").Find(id);
  if (flavor == nullptr || call.faults.Hides(id)) return nullptr;
  return call.caller.is_admin || flavor->IsTrue("os-flavor-access:is_public") ? flavor : nullptr;
}

void Nova::WriteFlavor(Json& out, const Call& call, const Object& flavor, bool detailed) const {
  out.writer().StartObject();
  WriteMembers(out, flavor.body(), [&](absl::string_view name) {
    if (name == "description") return call.microversion >= kDescriptionSince;
    if (!detailed) return name == "id" || name == "name";
    if (name == "extra_specs") return call.microversion >= kExtraSpecsSince;
    const Value* swap = json::Find(flavor.body(), {"swap"});
    return name != "swap" || call.microversion >= kSwapIsNumberSince || swap->GetInt64() != 0;
  });
  if (detailed && call.microversion < kSwapIsNumberSince && json::Find(flavor.body(), {"swap"})->GetInt64() == 0) {
    out.Text("swap", "");
  }
  WriteLinks(out, "flavors", flavor.id());
  out.writer().EndObject();
}

Answer Nova::OneFlavor(const Call& call, const Object& flavor) const {
  Json out;
  out.writer().StartObject();
  out.Key("flavor");
  WriteFlavor(out, call, flavor, true);
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Nova::CreateFlavor(Call& call) {
  if (!call.caller.is_admin) {
    return Refuse(403, "Policy doesn't allow os_compute_api:os-flavor-manage:create to be performed.");
  }
  const Value* given = call.Envelope("flavor");
  if (given == nullptr) return Refuse(400, "Invalid input for field/attribute flavor.");
  for (const auto& [field, lowest] : {std::pair<absl::string_view, int64_t>{"ram", 1}, {"vcpus", 1}, {"disk", 0}}) {
    const Value* value = json::Find(*given, {field});
    int64_t number = 0;
    const bool is_number = value != nullptr && (value->IsInt64() || absl::SimpleAtoi(json::String(*value), &number));
    if (!is_number) return Refuse(400, absl::StrCat("Invalid input for field/attribute ", field, "."));
    if ((value->IsInt64() ? value->GetInt64() : number) < lowest) {
      return Refuse(400, absl::StrCat("Invalid input for field/attribute ", field, ". Value: ", json::Write(*value), ". ",
                                      json::Write(*value), " is less than the minimum of ", lowest));
    }
  }
  const absl::string_view name = json::String(*given, {"name"});
  if (name.empty()) return Refuse(400, "Invalid input for field/attribute flavor. 'name' is a required property");
  std::string id(json::String(*given, {"id"}));
  if (id.empty() || id == "auto") id = NewUuid();
  if (Objects("flavors").Find(id) != nullptr) return Refuse(409, absl::StrCat("Flavor with ID ", id, " already exists."));
  for (const auto& [order, flavor] : Objects("flavors").rows()) {
    if (flavor->Text("name") == name) return Refuse(409, absl::StrCat("Flavor with name ", name, " already exists."));
  }
  return OneFlavor(call, AddFlavor(id, *given));
}

Answer Nova::ListFlavors(Call& call, bool detailed) {
  const bool all = call.caller.is_admin && call.Query("is_public") == "None";
  const Page page = SelectPage(call, Objects("flavors"), {}, [&](const Object& flavor) {
    return (all || flavor.IsTrue("os-flavor-access:is_public")) && !call.faults.Hides(flavor.id());
  });
  if (page.problem == Page::Problem::kMarker) return Refuse(400, absl::StrCat("marker [", call.Query("marker"), "] not found"));
  if (page.problem == Page::Problem::kLimit) return Refuse(400, "Invalid input for query parameters limit.");
  Json out;
  out.writer().StartObject();
  out.Key("flavors").writer().StartArray();
  for (const Object* flavor : page.rows) WriteFlavor(out, call, *flavor, detailed);
  out.writer().EndArray();
  WriteNextLink(out, call, page, "flavors", page.rows.empty() ? "" : page.rows.back()->id());
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Nova::ShowFlavor(Call& call) {
  const Object* flavor = FindFlavor(call, call.Parameter(0));
  if (flavor == nullptr) return Refuse(404, absl::StrCat("Flavor ", call.Parameter(0), " could not be found."));
  return OneFlavor(call, *flavor);
}

Answer Nova::UpdateFlavor(Call& call) {
  if (!call.caller.is_admin) {
    return Refuse(403, "Policy doesn't allow os_compute_api:os-flavor-manage:update to be performed.");
  }
  Object* flavor = FindFlavor(call, call.Parameter(0));
  if (flavor == nullptr) return Refuse(404, absl::StrCat("Flavor ", call.Parameter(0), " could not be found."));
  const Value* change = call.Envelope("flavor");
  const Value* description = change == nullptr ? nullptr : json::Find(*change, {"description"});
  if (description == nullptr || change->MemberCount() != 1) return Refuse(400, "Invalid input for field/attribute flavor.");
  flavor->Set("description", *description);
  return OneFlavor(call, *flavor);
}

Answer Nova::DeleteFlavor(Call& call) {
  if (!call.caller.is_admin) {
    return Refuse(403, "Policy doesn't allow os_compute_api:os-flavor-manage:delete to be performed.");
  }
  if (FindFlavor(call, call.Parameter(0)) == nullptr) {
    return Refuse(404, absl::StrCat("Flavor ", call.Parameter(0), " could not be found."));
  }
  Objects("flavors").Remove(call.Parameter(0));
  return {.status = 202, .headers = {{"Content-Type", "application/json"}}};
}

Answer Nova::ShowExtraSpecs(Call& call) {
  const Object* flavor = FindFlavor(call, call.Parameter(0));
  if (flavor == nullptr) return Refuse(404, absl::StrCat("Flavor ", call.Parameter(0), " could not be found."));
  return JsonAnswer(200, absl::StrCat(R"({"extra_specs":)", json::Write(*json::Find(flavor->body(), {"extra_specs"})), "}"));
}

Answer Nova::AddExtraSpecs(Call& call) {
  if (!call.caller.is_admin) {
    return Refuse(403, "Policy doesn't allow os_compute_api:os-flavor-extra-specs:create to be performed.");
  }
  const Value* specs = call.Envelope("extra_specs");
  if (specs == nullptr) return Refuse(400, "Invalid input for field/attribute extra_specs.");
  for (const auto& spec : specs->GetObject()) {
    const absl::string_view value = json::String(spec.value);
    if (json::String(spec.name) == "hw:cpu_policy" && value != "dedicated" && value != "shared" && value != "mixed") {
      return Refuse(400, absl::StrCat("Validation failed; '", value, "' is not one of: dedicated, shared, mixed."));
    }
  }
  Object* flavor = FindFlavor(call, call.Parameter(0));
  if (flavor == nullptr) return Refuse(404, absl::StrCat("Flavor ", call.Parameter(0), " could not be found."));
  rapidjson::Document merged;
  merged.CopyFrom(*json::Find(flavor->body(), {"extra_specs"}), merged.GetAllocator());
  for (const auto& spec : specs->GetObject()) {
    json::Set(merged, json::String(spec.name), json::String(spec.value), merged.GetAllocator());
  }
  flavor->Set("extra_specs", merged);
  return JsonAnswer(200, absl::StrCat(R"({"extra_specs":)", json::Write(*specs), "}"));
}

Answer Nova::DeleteExtraSpec(Call& call) {
  if (!call.caller.is_admin) {
    return Refuse(403, "Policy doesn't allow os_compute_api:os-flavor-extra-specs:delete to be performed.");
  }
  Object* flavor = FindFlavor(call, call.Parameter(0));
  if (flavor == nullptr) return Refuse(404, absl::StrCat("Flavor ", call.Parameter(0), " could not be found."));
  rapidjson::Document rest;
  rest.CopyFrom(*json::Find(flavor->body(), {"extra_specs"}), rest.GetAllocator());
  if (!rest.RemoveMember(call.Parameter(1).c_str())) {
    return Refuse(404, absl::StrCat("Flavor ", call.Parameter(0), " has no extra specs with key ", call.Parameter(1), "."));
  }
  flavor->Set("extra_specs", rest);
  return {.status = 200, .headers = {{"Content-Type", "application/json"}}};
}

}  // namespace kupen::simulator
