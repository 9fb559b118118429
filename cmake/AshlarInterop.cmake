# Finds libraries that stand on Kokkos, for the components of their names.
#
# ashlar_find_beside_kokkos(PACKAGE): sets Ashlar_PACKAGE_FOUND, or `why` not. The one beside our Kokkos, as Trilinos
# installs both, is looked for first. One that brings a Kokkos of its own must bring ours: a program has one.
macro(ashlar_find_beside_kokkos package)
  set(why "its component ${package} needs ${package}, and CMake finds none; set ${package}_ROOT to where it is installed.")
  find_package(${package} QUIET CONFIG PATHS "${Kokkos_DIR}/.." NO_DEFAULT_PATH)
  if(NOT ${package}_DIR)
    find_path(ashlar_${package} NAMES ${package}Config.cmake NO_CACHE
              HINTS ${${package}_ROOT} ENV ${package}_ROOT ${CMAKE_PREFIX_PATH} ${CMAKE_SYSTEM_PREFIX_PATH}
              PATH_SUFFIXES lib/cmake/${package} lib64/cmake/${package} lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/${package})
    get_filename_component(ashlar_own_kokkos "${ashlar_${package}}/../Kokkos" REALPATH)
    get_filename_component(ashlar_our_kokkos "${Kokkos_DIR}" REALPATH)
    if(EXISTS "${ashlar_own_kokkos}/KokkosConfig.cmake" AND NOT ashlar_own_kokkos STREQUAL ashlar_our_kokkos)
      set(why "the ${package} in ${ashlar_${package}} is of the Kokkos in ${ashlar_own_kokkos}, and this Ashlar of that in \
${ashlar_our_kokkos}; build Ashlar with -D Kokkos_DIR=${ashlar_own_kokkos}.")
    else()
      find_package(${package} QUIET CONFIG)
    endif()
  endif()
  set(Ashlar_${package}_FOUND ${${package}_FOUND})
  if("${package}" STREQUAL "Tpetra" AND Ashlar_Tpetra_FOUND AND
     NOT EXISTS "${CMAKE_CURRENT_LIST_DIR}/AshlarMpiTargets.cmake")
    set(Ashlar_Tpetra_FOUND FALSE)
    set(why "its component Tpetra makes communicators of MPI, and this Ashlar was built without; build it with \
-D ASHLAR_ENABLE_MPI=ON.")
  endif()
endmacro()
