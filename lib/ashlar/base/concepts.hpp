#pragma once

#include <Kokkos_Core.hpp>

#include <concepts>

namespace ashlar {

template <class E>
concept execution_space = Kokkos::is_execution_space_v<E>;

template <class M>
concept memory_space = Kokkos::is_memory_space_v<M>;

/// An execution space whose threads run on a GPU in lock-step groups (warps, wavefronts).
template <execution_space E>
inline constexpr bool is_gpu_v = !std::same_as<typename E::memory_space, Kokkos::HostSpace>;

/// A contiguous vector: a view of rank 1 whose entries lie one after another.
template <class V>
concept vector_view = Kokkos::is_view_v<V> && V::rank()
== 1 && !std::same_as<typename V::array_layout, Kokkos::LayoutStride>;

/// Vectors side by side: a view of rank 2, entries by columns, of any layout.
template <class V>
concept multi_vector_view = Kokkos::is_view_v<V> && V::rank()
== 2;

template <class E, class V>
concept reachable_from = bool(Kokkos::SpaceAccessibility<E, typename V::memory_space>::accessible);

}  // namespace ashlar
