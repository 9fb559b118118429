# What Ninja would do for what is installed compiles nothing of tests, performance tests and examples.
execute_process(COMMAND ${ninja} -C ${build} -t commands ashlar_installed OUTPUT_VARIABLE commands
                COMMAND_ERROR_IS_FATAL ANY)
foreach(folder lib apps)
  if(NOT commands MATCHES " -c [^ ]*/${folder}/[^ ]*[.]c(pp|xx)")  # .cxx: several together
    message(SEND_ERROR "nothing of ${folder} would be compiled")
  endif()
endforeach()
if(commands MATCHES " -c [^ ]*/(unit_tests|perf_tests|examples)/[^ ]*")
  message(SEND_ERROR "${CMAKE_MATCH_0} would be compiled")
endif()
