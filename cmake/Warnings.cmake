# Warnings of our own code are errors; generated code and other people's headers are not ours to judge.
add_library(kupen_warnings INTERFACE)
target_compile_options(kupen_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wimplicit-fallthrough
  -Wextra-semi -Werror)
