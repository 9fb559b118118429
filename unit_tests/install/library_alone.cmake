# Configures with the first command of library.sh, in a folder of its own, and looks at what would be compiled: the
# library and the command, not the tests.
file(REMOVE_RECURSE ${scratch})
file(MAKE_DIRECTORY ${scratch})
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/library.sh commands)
list(GET commands 0 configure)
string(APPEND configure " -S '${source}' -G '${generator}' -D Kokkos_DIR='${kokkos}' -D ASHLAR_REQUIRE_BACKEND= "
       "-D CMAKE_EXPORT_COMPILE_COMMANDS=ON")
execute_process(COMMAND ${sh} -c "${configure}" WORKING_DIRECTORY ${scratch} COMMAND_ERROR_IS_FATAL ANY)
file(READ ${scratch}/build/library/compile_commands.json units)
foreach(folder lib apps)
  if(NOT units MATCHES "/${folder}/[^\"]*[.]c(pp|xx)\"")  # .cxx: several together
    message(SEND_ERROR "nothing of ${folder} would be compiled")
  endif()
endforeach()
if(units MATCHES "\"(${source}|${scratch}/build/library)/(unit_tests|perf_tests|examples)/[^\"]*[.]c(pp|xx)")
  message(SEND_ERROR "${CMAKE_MATCH_0} would be compiled")
endif()
