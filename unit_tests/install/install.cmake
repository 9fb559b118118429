# Installs the build into an empty prefix: a file left by an earlier install would hide that this one forgot it. Then the
# prefix is moved, and all tests after this use it where it was never installed. The consumer starts afresh too, in a
# folder of its own.
set(before ${prefix}_before)
file(REMOVE_RECURSE ${before} ${prefix} ${consumer})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${before} --config "${config}"
                COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${before} ${prefix})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/consumer/ DESTINATION ${consumer})
