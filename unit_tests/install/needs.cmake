# What Ninja would do for what is installed compiles nothing of tests, performance tests and examples.
execute_process(COMMAND ${ninja} -C ${build} -t commands ashlar_installed OUTPUT_VARIABLE commands
                COMMAND_ERROR_IS_FATAL ANY)
foreach(needed "/lib/src/" "/apps/")
  if(NOT commands MATCHES "${needed}[a-z0-9_/]*[.]cpp")
    message(SEND_ERROR "nothing of ${needed} would be compiled")
  endif()
endforeach()
if(commands MATCHES "/(unit_tests|perf_tests|examples)/[a-z0-9_/]*[.]cpp")
  message(SEND_ERROR "${CMAKE_MATCH_0} would be compiled")
endif()
