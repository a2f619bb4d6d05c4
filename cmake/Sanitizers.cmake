set(KUPEN_SANITIZE "" CACHE STRING "What to build with, as in -fsanitize=: address,undefined or thread")

if(KUPEN_SANITIZE)
  add_compile_options(-fsanitize=${KUPEN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KUPEN_SANITIZE})
endif()
