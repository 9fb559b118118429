#pragma once

#include <Kokkos_Core.hpp>
#include <array>

namespace ashlar::testing {

/// Two execution-space instances that differ from each other and from the default one. (partition_space() of OpenMP
/// gives the default one over and over, unless parallel regions may nest.)
inline std::array<Kokkos::DefaultExecutionSpace, 2> two_instances() {
#if defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  const int threads = Kokkos::OpenMP().concurrency();
  return {Kokkos::OpenMP(threads), Kokkos::OpenMP(threads)};
#else
  const auto instances = Kokkos::Experimental::partition_space(Kokkos::DefaultExecutionSpace(), 1, 1);
  return {instances[0], instances[1]};
#endif
}

}  // namespace ashlar::testing
