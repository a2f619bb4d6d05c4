#include "test/fuzz/fuzz.h"

#include <cstdlib>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "provider/base/text.h"
#include "provider/kube/conditions.h"

namespace kupen::fuzz {
namespace {

constexpr size_t kLongestCondition = 512;

}  // namespace

std::string AroundSecret(absl::string_view around) {
  std::string line = absl::StrReplaceAll(around, {{"\n", " "}, {"\r", " "}});
  line.insert(line.size() / 2, kSecret.data(), kSecret.size());
  return line;
}

uint8_t TakeByte(absl::string_view& text) {
  if (text.empty()) return 0;
  const auto byte = static_cast<uint8_t>(text.front());
  text.remove_prefix(1);
  return byte;
}

void Check(bool holds, absl::string_view what, absl::string_view shown) {
  if (holds) return;
  std::cerr << "fuzz: " << what << (shown.empty() ? "" : ": ") << shown << std::endl;
  std::abort();
}

void CheckMessage(const absl::Status& status) {
  if (status.ok()) return;
  const std::string message(status.message());
  Check(!message.empty(), "an error that says nothing");
  Check(!absl::StrContains(message, kSecret), "an error tells a secret", message);
  const std::string shown = kube::StableMessage(message);
  Check(shown.size() <= kLongestCondition, "a condition's message is too long", shown);
  Check(Utf8(shown) == shown, "a condition's message is not UTF-8", shown);
}

}  // namespace kupen::fuzz
