// KeyPair's twin: a plain kind that a test adds, to show what that takes: one .proto and one example.
#pragma once

#include <string>

namespace kupen::test {

inline constexpr char kTwinPath[] = "apis/compute/v1alpha1/key_pair_twin.proto";
inline constexpr char kTwinExamplePath[] = "examples/compute/key_pair_twin.yaml";

// The files of the real KeyPair, under another name.
std::string TwinProto();
std::string TwinExample();

}  // namespace kupen::test
