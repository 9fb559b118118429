# Component Tpetra: target Ashlar::tpetra, for <ashlar/interop/tpetra.hpp>. Kokkos Kernels comes with it.
if(NOT TARGET Ashlar::tpetra)
  find_package(MPI QUIET REQUIRED COMPONENTS CXX)
  include("${CMAKE_CURRENT_LIST_DIR}/AshlarMpiTargets.cmake")
  add_library(Ashlar::tpetra INTERFACE IMPORTED)
  target_link_libraries(Ashlar::tpetra INTERFACE Ashlar::mpi Tpetra::all_libs)
endif()
