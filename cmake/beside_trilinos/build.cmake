# Configures and builds programs, as a project of a user's, with the library installed in `prefix`.
string(TOUPPER ${type} upper)
set(compiled)
if(DEFINED flags)
  set(compiled -D CMAKE_CXX_FLAGS_${upper}=${flags})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${build} -G ${generator} -D CMAKE_BUILD_TYPE=${type}
                        ${compiled} -D Kokkos_DIR=${kokkos} -D CMAKE_PREFIX_PATH=${prefix}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} COMMAND_ERROR_IS_FATAL ANY)
