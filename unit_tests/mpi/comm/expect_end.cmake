# Runs `command` (a list) for `limit` seconds at most. It must have ended by then, with `result` (0, or "not 0"), and must
# have printed what matches `says`.
execute_process(COMMAND ${command} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE ended TIMEOUT ${limit})
message("${said}")
if(ended MATCHES "timeout")
  message(FATAL_ERROR "it has not ended within ${limit} s")
elseif((result EQUAL 0) AND NOT (ended EQUAL 0))
  message(FATAL_ERROR "it ended with ${ended}")
elseif(NOT (result EQUAL 0) AND ended EQUAL 0)
  message(FATAL_ERROR "it ended with 0")
elseif(NOT said MATCHES "${says}")
  message(FATAL_ERROR "it did not say ${says}")
endif()
