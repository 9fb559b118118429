#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <type_traits>

namespace ashlar::impl {

/// True if the GPUs that this is compiled for have a unit that multiplies small matrices of doubles (the tensor cores
/// of NVIDIA's data-centre GPUs since A100).
#if defined(KOKKOS_ARCH_AMPERE80) || defined(KOKKOS_ARCH_HOPPER90) || defined(KOKKOS_ARCH_BLACKWELL100)
inline constexpr bool has_matrix_unit = true;
#else
inline constexpr bool has_matrix_unit = false;
#endif

/// True if products with several vectors of Scalar can use it on Exec.
template <class Exec, class Scalar>
inline constexpr bool uses_matrix_unit_v = has_matrix_unit&& is_gpu_v<Exec>&& std::is_same_v<Scalar, double>;

/// c += a * b for an 8 x 4 matrix a, a 4 x 8 matrix b and an 8 x 8 matrix c, spread over the 32 lanes of a warp, all of
/// which take part: lane l has a(l / 4, l % 4), b(l % 4, l / 4), and c(l / 4, 2 * (l % 4)) and its right neighbour.
KOKKOS_INLINE_FUNCTION void multiply_add_tile(double a, double b, double (&c)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
#else
  // Never called: uses_matrix_unit_v says so.
  (void)a, (void)b, (void)c;
#endif
}

/// The entries that lane `lane` of the warp holds; all 32 lanes take part.
template <class T>
KOKKOS_INLINE_FUNCTION T from_lane(T value, int lane) {
#if defined(__CUDA_ARCH__)
  return __shfl_sync(0xffffffffu, value, lane);
#else
  (void)lane;
  return value;  // never called, as above
#endif
}

}  // namespace ashlar::impl
