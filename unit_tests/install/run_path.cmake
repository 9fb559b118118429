# A command, a shared library of ours and a shared library elsewhere, linked and installed with AshlarRunPath: the command
# starts from a prefix that has been moved, though nobody says where libraries are.
file(REMOVE_RECURSE ${scratch})
foreach(project elsewhere ours)
  set(here ${scratch}/${project})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/run_path/${project} -B ${here}
                          -D CMAKE_INSTALL_PREFIX=${scratch}/prefix_${project} -D CMAKE_INSTALL_LIBDIR=lib64
                          -D CMAKE_MODULE_PATH=${modules} -D elsewhere=${scratch}/prefix_elsewhere
                          -D BUILD_SHARED_LIBS=ON
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${here} --target install COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(REMOVE_RECURSE ${scratch}/ours)  # its libraries must not be what is found
file(RENAME ${scratch}/prefix_ours ${scratch}/moved)
execute_process(COMMAND ${scratch}/moved/bin/ashlar WORKING_DIRECTORY / OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "42")
  message(FATAL_ERROR "the command says '${said}'")
endif()
