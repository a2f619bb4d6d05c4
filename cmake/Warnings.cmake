# Warnings of our own code are errors; generated code and other people's headers are not ours to judge.
# g++ judges: clang, which builds the fuzzers, warns of other things.
add_library(kupen_warnings INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  return()
endif()
target_compile_options(kupen_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wimplicit-fallthrough
  -Wextra-semi -Werror)
if(KUPEN_SANITIZE)
  # g++ sees such things in its own library once it is instrumented.
  target_compile_options(kupen_warnings INTERFACE -Wno-maybe-uninitialized)
endif()
