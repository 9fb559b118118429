# Configures and builds the programs, as a project of a user's.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${build} -G ${generator} -D CMAKE_BUILD_TYPE=Interop
                        -D CMAKE_CXX_FLAGS_INTEROP=-O1 -D Kokkos_DIR=${kokkos} -D CMAKE_PREFIX_PATH=${prefix}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} COMMAND_ERROR_IS_FATAL ANY)
