#include <openssl/evp.h>

#include <array>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "provider/json/json.h"
#include "test/simulator/nova.h"

namespace kupen::simulator {
namespace {

using rapidjson::Value;

constexpr int kTypesSince = 2;
constexpr int kPagesSince = 35;
constexpr int kImportOnlySince = 92;
constexpr char kGeneratedKey[] = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC7 generated";

// As Nova shows it: the MD5 of the key's bytes. Empty if the text is no key.
std::string Fingerprint(absl::string_view public_key) {
  const std::vector<absl::string_view> parts = absl::StrSplit(public_key, ' ', absl::SkipEmpty());
  std::string bytes;
  if (parts.size() < 2 || !absl::Base64Unescape(parts[1], &bytes) || bytes.empty()) return "";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_md5(), nullptr);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) absl::StrAppendFormat(&text, "%s%02x", i == 0 ? "" : ":", digest[i]);
  return text;
}

void WriteKeyPair(Json& out, const Object& key_pair, std::initializer_list<absl::string_view> members) {
  out.writer().StartObject();
  out.Key("keypair").writer().StartObject();
  for (const absl::string_view member : members) {
    if (const Value* value = json::Find(key_pair.body(), {member})) out.Value(member, *value);
  }
  out.writer().EndObject();
  out.writer().EndObject();
}

}  // namespace

std::string Nova::UserOf(const Call& call) const {
  return call.caller.is_admin && call.HasQuery("user_id") ? std::string(call.Query("user_id")) : call.caller.user_id;
}

std::optional<Answer> Nova::CheckUser(const Call& call) const {
  if (!call.HasQuery("user_id") || call.caller.is_admin || call.Query("user_id") == call.caller.user_id) return std::nullopt;
  return Refuse(403, "Policy doesn't allow os_compute_api:os-keypairs:index to be performed.");
}

Answer Nova::CreateKeyPair(Call& call) {
  const Value* given = call.Envelope("keypair");
  const std::string name(given == nullptr ? "" : json::String(*given, {"name"}));
  if (name.empty()) return Refuse(400, "Invalid input for field/attribute keypair. 'name' is a required property");
  const bool generates = json::Find(*given, {"public_key"}) == nullptr;
  if (generates && call.microversion >= kImportOnlySince) {
    return Refuse(400, absl::StrCat("Invalid input for field/attribute keypair. Value: {'name': '", name,
                                    "'}. 'public_key' is a required property"));
  }
  const std::string public_key(generates ? kGeneratedKey : json::String(*given, {"public_key"}));
  const absl::string_view type = json::String(*given, {"type"});
  const std::string fingerprint = type == "x509" || generates ? "00:00" : Fingerprint(public_key);
  if (fingerprint.empty()) return Refuse(400, "Keypair data is invalid: failed to generate fingerprint");
  if (KeyPairsOf(call).Find(name) != nullptr) return Refuse(409, absl::StrCat("Key pair '", name, "' already exists."));

  Object& made = KeyPairsOf(call).Add(name, call.caller.project_id);
  made.created = world_.Now();
  made.Set("name", name);
  made.Set("public_key", public_key);
  made.Set("fingerprint", fingerprint);
  made.Set("user_id", call.caller.user_id);
  made.Set("created_at", LongTimeText(made.created));
  made.SetBool("deleted", false);
  made.SetNull("deleted_at");
  made.SetInt("id", ++last_keypair_);
  made.SetNull("updated_at");
  if (call.microversion >= kTypesSince) made.Set("type", type.empty() ? "ssh" : type);
  if (generates) made.Set("private_key", "-----BEGIN RSA PRIVATE KEY-----\n-----END RSA PRIVATE KEY-----\n");
  Json out;
  WriteKeyPair(out, made, {"type", "name", "public_key", "fingerprint", "user_id", "private_key"});
  made.Remove("private_key");
  return JsonAnswer(call.microversion >= kTypesSince ? 201 : 200, out.Take());
}

Answer Nova::ListKeyPairs(Call& call) {
  if (std::optional<Answer> wrong = CheckUser(call)) return *std::move(wrong);
  const Page page =
      SelectPage(call, KeyPairsOf(call), {}, [&](const Object& key_pair) { return !call.faults.Hides(key_pair.id()); });
  if (page.problem == Page::Problem::kMarker)
    return Refuse(400, absl::StrCat("Marker ", call.Query("marker"), " could not be found."));
  if (page.problem == Page::Problem::kLimit) return Refuse(400, "Invalid input for query parameters limit.");
  Json out;
  out.writer().StartObject();
  out.Key("keypairs").writer().StartArray();
  for (const Object* key_pair : page.rows) WriteKeyPair(out, *key_pair, {"name", "public_key", "fingerprint", "type"});
  out.writer().EndArray();
  if (call.microversion >= kPagesSince) {
    WriteNextLink(out, call, page, "keypairs", page.rows.empty() ? "" : page.rows.back()->id());
  }
  out.writer().EndObject();
  return JsonAnswer(200, out.Take());
}

Answer Nova::ShowKeyPair(Call& call) {
  const Object* key_pair = KeyPairsOf(call).Find(call.Parameter(0));
  if (key_pair == nullptr || call.faults.Hides(call.Parameter(0))) {
    return Refuse(404, absl::StrCat("Keypair ", call.Parameter(0), " not found for user ", call.caller.user_id));
  }
  Json out;
  WriteKeyPair(
      out, *key_pair,
      {"name", "public_key", "fingerprint", "user_id", "created_at", "deleted", "deleted_at", "id", "updated_at", "type"});
  return JsonAnswer(200, out.Take());
}

Answer Nova::DeleteKeyPair(Call& call) {
  if (KeyPairsOf(call).Find(call.Parameter(0)) == nullptr) {
    return Refuse(404, absl::StrCat("Keypair ", call.Parameter(0), " not found for user ", call.caller.user_id));
  }
  KeyPairsOf(call).Remove(call.Parameter(0));
  return {.status = call.microversion >= kTypesSince ? 204 : 202, .headers = {{"Content-Type", "application/json"}}};
}

}  // namespace kupen::simulator
