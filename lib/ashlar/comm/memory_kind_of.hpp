#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/memory_kind.hpp>
#include <type_traits>

namespace ashlar {

namespace impl {

template <memory_space Space>
constexpr MemoryKind find_memory_kind() {
#if defined(KOKKOS_ENABLE_CUDA)
  if (std::is_same_v<Space, Kokkos::CudaSpace> || std::is_same_v<Space, Kokkos::CudaUVMSpace>) return MemoryKind::cuda;
#endif
#if defined(KOKKOS_ENABLE_HIP)
  if (std::is_same_v<Space, Kokkos::HIPSpace> || std::is_same_v<Space, Kokkos::HIPManagedSpace>) return MemoryKind::hip;
#endif
  return Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space>::accessible ? MemoryKind::host : MemoryKind::other;
}

}  // namespace impl

/// Of a memory space of Kokkos.
template <memory_space Space>
inline constexpr MemoryKind memory_kind_of = impl::find_memory_kind<Space>();

}  // namespace ashlar
