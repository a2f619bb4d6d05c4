#include "provider/managed/identity.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace kupen::managed {
namespace {

constexpr absl::string_view kPrefix = "kupen";
constexpr size_t kClusterDigits = 8;
constexpr size_t kUidLength = 36;
// The namespace of our UUIDs: a random one, fixed for ever.
constexpr absl::string_view kNamespace = "\x9c\x1e\x43\x0b\x6d\x52\x4f\x7a\x8b\x0e\x2a\x77\xd1\x35\xc4\x9f";

bool IsHex(absl::string_view text) { return std::all_of(text.begin(), text.end(), absl::ascii_isxdigit); }

bool IsUid(absl::string_view text) {
  return text.size() == kUidLength &&
         std::all_of(text.begin(), text.end(), [](char c) { return c == '-' || absl::ascii_isxdigit(c); });
}

}  // namespace

std::string Marker::Text() const { return absl::StrCat(kPrefix, ":", cluster, ":", uid); }

std::optional<Marker> Marker::FindIn(absl::string_view text) {
  const size_t start = text.rfind(absl::StrCat(kPrefix, ":"));
  if (start == absl::string_view::npos) return std::nullopt;
  const std::vector<absl::string_view> parts = absl::StrSplit(absl::StripSuffix(text.substr(start), "]"), ':');
  if (parts.size() != 3 || parts[1].size() != kClusterDigits || !IsHex(parts[1]) || !IsUid(parts[2])) return std::nullopt;
  return Marker{.cluster = std::string(parts[1]), .uid = std::string(parts[2])};
}

std::string WithMarker(absl::string_view description, const Marker& marker) {
  return absl::StrCat(description, description.empty() ? "" : " ", "[", marker.Text(), "]");
}

std::string WithoutMarker(absl::string_view description) {
  const std::optional<Marker> marker = Marker::FindIn(description);
  if (marker.has_value() && absl::ConsumeSuffix(&description, absl::StrCat("[", marker->Text(), "]"))) {
    absl::ConsumeSuffix(&description, " ");
  }
  return std::string(description);
}

std::string ChosenId(absl::string_view uid, int attempt) {
  // RFC 4122, version 5: the first 16 bytes of a SHA-1 over the namespace and the name.
  const std::string name = absl::StrCat(kNamespace, uid, "/", attempt);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  EVP_Digest(name.data(), name.size(), digest.data(), nullptr, EVP_sha1(), nullptr);
  digest[6] = static_cast<unsigned char>((digest[6] & 0x0F) | 0x50);
  digest[8] = static_cast<unsigned char>((digest[8] & 0x3F) | 0x80);
  const std::string hex = absl::BytesToHexString({reinterpret_cast<const char*>(digest.data()), 16});
  return absl::StrCat(hex.substr(0, 8), "-", hex.substr(8, 4), "-", hex.substr(12, 4), "-", hex.substr(16, 4), "-",
                      hex.substr(20));
}

}  // namespace kupen::managed
