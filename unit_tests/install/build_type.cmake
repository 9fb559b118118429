# A project that is configured without a build type is warned, and no other one is.
file(REMOVE_RECURSE ${scratch})

# expect_warning(IS_EXPECTED NAME ARG...): whether configuring with these arguments warns.
function(expect_warning is_expected name)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/found -B ${scratch}/${name} -G ${generator}
                          -D CMAKE_PREFIX_PATH=${prefix} ${ARGN}
                  OUTPUT_VARIABLE said ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "has no build type" warnings "${said}")
  list(LENGTH warnings number)
  if(NOT number EQUAL is_expected)
    message(SEND_ERROR "${name}: ${number} warnings for ${is_expected}\n${said}")
  endif()
endfunction()

unset(ENV{CMAKE_BUILD_TYPE})
expect_warning(1 none)
expect_warning(0 release -D CMAKE_BUILD_TYPE=Release)
expect_warning(0 debug -D CMAKE_BUILD_TYPE=Debug)
expect_warning(0 flags "-DCMAKE_CXX_FLAGS=-g -O2")
expect_warning(0 inner -D inner=ON)  # the outer project's choice
