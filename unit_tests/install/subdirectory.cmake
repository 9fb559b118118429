# A project that holds Ashlar's source: it gets the library and no tests, no command, and compiles against its headers.
file(REMOVE_RECURSE ${scratch})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/subdirectory -B ${scratch} -G ${generator}
                        -D ashlar=${source} -D Kokkos_DIR=${kokkos} -D CMAKE_EXPORT_COMPILE_COMMANDS=ON
                COMMAND_ERROR_IS_FATAL ANY)
file(READ ${scratch}/compile_commands.json units)
if(NOT units MATCHES "${source}/lib/src/[a-z0-9_/]*[.]cpp")
  message(SEND_ERROR "the library is not there")
endif()
if(units MATCHES "${source}/(apps|perf_tests|examples|unit_tests/[a-hj-z])[a-z0-9_/]*[.]cpp")
  message(SEND_ERROR "${CMAKE_MATCH_0} would be compiled")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${scratch} --target mine COMMAND_ERROR_IS_FATAL ANY)
