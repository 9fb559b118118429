# Finds a Trilinos to build programs beside, which include the installed package: ASHLAR_TRILINOS is the folder of its
# CMake packages, or empty. It may stand on a Kokkos of its own, for which the library is then built once more:
# ASHLAR_TRILINOS_HAS_OUR_KOKKOS.
set(ASHLAR_TRILINOS)
foreach(place "${Kokkos_DIR}/../.." "$ENV{ASHLAR_SERIAL_KOKKOS}/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
  if(EXISTS "${place}/cmake/Tpetra/TpetraConfig.cmake" AND EXISTS "${place}/cmake/Belos/BelosConfig.cmake" AND NOT ASHLAR_TRILINOS)
    get_filename_component(ASHLAR_TRILINOS "${place}/cmake" REALPATH)
  endif()
endforeach()
get_filename_component(ashlar_our_kokkos ${Kokkos_DIR} REALPATH)
set(ASHLAR_TRILINOS_HAS_OUR_KOKKOS OFF)
if(ASHLAR_TRILINOS AND ashlar_our_kokkos STREQUAL "${ASHLAR_TRILINOS}/Kokkos")
  set(ASHLAR_TRILINOS_HAS_OUR_KOKKOS ON)
endif()
