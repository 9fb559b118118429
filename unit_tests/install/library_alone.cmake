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
foreach(folder lib/src apps)
  if(NOT units MATCHES "/${folder}/[a-z0-9_/]*[.]cpp")
    message(SEND_ERROR "nothing of ${folder} would be compiled")
  endif()
endforeach()
if(units MATCHES "${source}/(unit_tests|perf_tests|examples)/[a-z0-9_/]*[.]cpp")
  message(SEND_ERROR "${CMAKE_MATCH_0} would be compiled")
endif()
