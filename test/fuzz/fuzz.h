// What the fuzzers share. Each is one file <name>_fuzz.cc with libFuzzer's LLVMFuzzerTestOneInput; its seeds are in
// corpus/<name>/.
//
//   kupen::fuzz::Check(again == once, "the same input gives another result");
//
// A check that fails ends the process, as a crash would: libFuzzer keeps the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace kupen::fuzz {

// A secret: put where a user has one, it must never be seen again.
inline constexpr absl::string_view kSecret = "s3cr3tMarker";

inline absl::string_view Text(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

// The secret with anything around it, on one line.
std::string AroundSecret(absl::string_view around);

// Takes the first byte, to choose by; 0 if there is none.
uint8_t TakeByte(absl::string_view& text);

void Check(bool holds, absl::string_view what, absl::string_view shown = "");
// That a message may go to Kubernetes (as a condition's) and tells no secret.
void CheckMessage(const absl::Status& status);

}  // namespace kupen::fuzz
