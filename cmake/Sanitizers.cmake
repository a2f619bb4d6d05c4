set(KUPEN_SANITIZE "" CACHE STRING "What to build with, as in -fsanitize=: address,undefined or thread")

if(KUPEN_SANITIZE)
  add_compile_options(-fsanitize=${KUPEN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KUPEN_SANITIZE})
endif()

# For every test.
if(KUPEN_SANITIZE MATCHES thread)
  # Debian's libraries are not instrumented: the sanitizer can't see how they synchronise, so what it finds inside them says
  # nothing. (For the same reason our own code uses std::mutex, which it does see, and not absl::Mutex.)
  set(KUPEN_TEST_ENVIRONMENT "TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1")
else()
  set(KUPEN_TEST_ENVIRONMENT "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/leaks.supp:print_suppressions=0")
endif()
