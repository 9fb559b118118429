#pragma once

#include <Kokkos_Core.hpp>

// ASHLAR_FOR_EACH_EXECUTION_SPACE(MACRO): MACRO(Exec) for each execution space that this Kokkos has. For explicit
// instantiations of templates that the library holds compiled.

#ifdef KOKKOS_ENABLE_SERIAL
#define ASHLAR_WITH_SERIAL(MACRO) MACRO(Kokkos::Serial)
#else
#define ASHLAR_WITH_SERIAL(MACRO)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#define ASHLAR_WITH_OPENMP(MACRO) MACRO(Kokkos::OpenMP)
#else
#define ASHLAR_WITH_OPENMP(MACRO)
#endif
#ifdef KOKKOS_ENABLE_THREADS
#define ASHLAR_WITH_THREADS(MACRO) MACRO(Kokkos::Threads)
#else
#define ASHLAR_WITH_THREADS(MACRO)
#endif
#ifdef KOKKOS_ENABLE_CUDA
#define ASHLAR_WITH_CUDA(MACRO) MACRO(Kokkos::Cuda)
#else
#define ASHLAR_WITH_CUDA(MACRO)
#endif
#ifdef KOKKOS_ENABLE_HIP
#define ASHLAR_WITH_HIP(MACRO) MACRO(Kokkos::HIP)
#else
#define ASHLAR_WITH_HIP(MACRO)
#endif

#define ASHLAR_FOR_EACH_EXECUTION_SPACE(MACRO) \
  ASHLAR_WITH_SERIAL(MACRO)                    \
  ASHLAR_WITH_OPENMP(MACRO) ASHLAR_WITH_THREADS(MACRO) ASHLAR_WITH_CUDA(MACRO) ASHLAR_WITH_HIP(MACRO)
