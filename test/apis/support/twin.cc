#include "test/apis/support/twin.h"

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace kupen::test {
namespace {

std::string Renamed(const char* path) {
  const std::ifstream file(absl::StrCat(KUPEN_SOURCE, "/", path));
  std::ostringstream text;
  text << file.rdbuf();
  return absl::StrReplaceAll(text.str(), {{"KeyPair", "KeyPairTwin"}, {"\"kp\"", "\"kpt\""}});
}

}  // namespace

std::string TwinProto() { return Renamed("apis/compute/v1alpha1/key_pair.proto"); }
std::string TwinExample() { return Renamed("examples/compute/key_pair.yaml"); }

}  // namespace kupen::test
