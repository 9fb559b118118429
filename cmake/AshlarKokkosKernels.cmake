# Component KokkosKernels: target Ashlar::kokkos_kernels, for <ashlar/interop/kokkos_kernels.hpp>.
if(NOT TARGET Ashlar::kokkos_kernels)
  add_library(Ashlar::kokkos_kernels INTERFACE IMPORTED)
  if(TARGET KokkosKernels::all_libs)  # as Trilinos names it
    target_link_libraries(Ashlar::kokkos_kernels INTERFACE Ashlar::ashlar KokkosKernels::all_libs)
  else()
    target_link_libraries(Ashlar::kokkos_kernels INTERFACE Ashlar::ashlar Kokkos::kokkoskernels)
  endif()
endif()
