# Installs the library into an empty prefix: that of this build (`ours`), or one built for the Kokkos that Trilinos
# stands on, of these block sizes (separated by commas) and compiled with `flags` as build type `type`.
if(NOT build STREQUAL ours)
  string(TOUPPER ${type} upper)
  set(compiled)
  if(DEFINED flags)
    set(compiled -D CMAKE_CXX_FLAGS_${upper}=${flags})
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${build} -G ${generator} -D Kokkos_DIR=${kokkos}
                          -D CMAKE_BUILD_TYPE=${type} ${compiled} -D ASHLAR_BLOCK_SIZES=${block_sizes}
                          -D CMAKE_UNITY_BUILD=ON
                          -D ASHLAR_ENABLE_MPI=ON -D ASHLAR_ENABLE_APPS=OFF -D ASHLAR_ENABLE_TESTS=OFF
                          -D ASHLAR_ENABLE_PERF_TESTS=OFF
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --target ashlar_installed COMMAND_ERROR_IS_FATAL ANY)
endif()
file(REMOVE_RECURSE ${prefix})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${prefix} COMMAND_ERROR_IS_FATAL ANY)
