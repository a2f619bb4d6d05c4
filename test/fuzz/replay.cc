// In place of libFuzzer where the compiler has none: gives the fuzzer each file of the directories that are named, once.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "test/fuzz/fuzz.h"

int main(int argc, char** argv) {
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
      std::cout << entry.path().string() << std::endl;
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
      ++count;
    }
  }
  if (count == 0) std::cerr << "no seeds\n";
  return count == 0 ? 1 : 0;
}
