set(KUPEN_SANITIZE "" CACHE STRING "What to build with, as in -fsanitize=: address,undefined or thread")

if(KUPEN_SANITIZE)
  add_compile_options(-fsanitize=${KUPEN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=${KUPEN_SANITIZE})
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Debian's RapidJSON has a template that clang 19 refuses to parse as long as nobody uses it; and the names of some functions of
  # Debian's abseil, which g++ compiled, are those of older clangs.
  add_compile_options(-fdelayed-template-parsing -Wno-delayed-template-parsing-in-cxx20 -fclang-abi-compat=17
    -fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/clang.ignore)
endif()

# For every test. A process that a sanitizer ends has a status of its own: tests of other processes (test/lab) know it.
if(KUPEN_SANITIZE MATCHES thread)
  # Debian's libraries are not instrumented: the sanitizer can't see how they synchronise, so what it finds inside them says
  # nothing. (For the same reason our own code uses std::mutex, which it does see, and not absl::Mutex.)
  set(KUPEN_TEST_ENVIRONMENT
    "TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1:exitcode=66:suppressions=${CMAKE_CURRENT_LIST_DIR}/races.supp")
else()
  set(KUPEN_TEST_ENVIRONMENT
    "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/leaks.supp:print_suppressions=0"
    "ASAN_OPTIONS=detect_stack_use_after_return=1:check_initialization_order=1:strict_string_checks=1:exitcode=66"
    "UBSAN_OPTIONS=print_stacktrace=1:exitcode=66")
endif()
