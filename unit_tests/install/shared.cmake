# The library as a shared one: installed, moved to another prefix, found and used by a project outside. What it is compiled
# from is compiled as for the static one, so that a compiler cache has all of it; there it takes a minute.
set(before ${scratch}_prefix_before)
set(prefix ${scratch}_prefix)
file(REMOVE_RECURSE ${scratch} ${before} ${prefix} ${scratch}_mine)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${scratch} -G ${generator} -D BUILD_SHARED_LIBS=ON
                        -D CMAKE_BUILD_TYPE=${config} -D Kokkos_DIR=${kokkos} -D ASHLAR_BLOCK_SIZES=${block_sizes}
                        -D CMAKE_UNITY_BUILD=${unity} -D CMAKE_UNITY_BUILD_RELOCATABLE=${relocatable}
                        -D CMAKE_CXX_FLAGS=${flags}
                        -D ASHLAR_ENABLE_TESTS=OFF -D ASHLAR_ENABLE_PERF_TESTS=OFF -D ASHLAR_ENABLE_APPS=OFF
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${scratch} --target ashlar_installed COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${scratch} --prefix ${before} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB libraries ${before}/lib*/libashlar.so ${before}/lib*/libashlar.dylib)
if(NOT libraries)
  message(FATAL_ERROR "no shared library in ${before}")
endif()
file(RENAME ${before} ${prefix})
file(REMOVE_RECURSE ${scratch})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${scratch}_mine -G ${generator}
                        -D CMAKE_PREFIX_PATH=${prefix}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${scratch}_mine COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${scratch}_mine/mine COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${prefix} ${scratch}_mine)
