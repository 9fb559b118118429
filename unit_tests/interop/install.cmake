# Installs the library into an empty prefix: that of this build, or one built for the Kokkos that Trilinos stands on.
if(NOT build STREQUAL ours)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${build} -G ${generator} -D Kokkos_DIR=${kokkos}
                          -D CMAKE_BUILD_TYPE=Interop -D CMAKE_CXX_FLAGS_INTEROP=-O0 -D ASHLAR_BLOCK_SIZES=3
                          -D CMAKE_UNITY_BUILD=ON
                          -D ASHLAR_ENABLE_MPI=ON -D ASHLAR_ENABLE_APPS=OFF -D ASHLAR_ENABLE_TESTS=OFF
                          -D ASHLAR_ENABLE_PERF_TESTS=OFF
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --target ashlar_installed COMMAND_ERROR_IS_FATAL ANY)
endif()
file(REMOVE_RECURSE ${prefix})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${prefix} COMMAND_ERROR_IS_FATAL ANY)
