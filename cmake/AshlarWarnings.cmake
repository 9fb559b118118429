# ashlar_options: the warnings and sanitizers of our own targets; never passed on to users of the library.
add_library(ashlar_options INTERFACE)
target_compile_options(ashlar_options INTERFACE -Wall -Wextra)
if(ASHLAR_SANITIZE)
  target_compile_options(ashlar_options INTERFACE
    -fsanitize=${ASHLAR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ashlar_options INTERFACE -fsanitize=${ASHLAR_SANITIZE})
endif()
