# Installs the build into an empty prefix: a file left by an earlier install would hide that this one forgot it.
# The consumer starts afresh too.
file(REMOVE_RECURSE ${prefix} ${consumer_build})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${prefix} --config "${config}"
                COMMAND_ERROR_IS_FATAL ANY)
