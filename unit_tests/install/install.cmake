# Installs the build into an empty prefix: a file left by an earlier install would hide that this one forgot it.
# The consumer starts afresh too, in a folder of its own.
file(REMOVE_RECURSE ${prefix} ${consumer})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${prefix} --config "${config}"
                COMMAND_ERROR_IS_FATAL ANY)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/consumer/ DESTINATION ${consumer})
