#pragma once

#include <Kokkos_Core.hpp>

namespace ashlar::impl {

/// A group of lanes that share a block row: on a GPU `width` consecutive threads of a warp or wavefront (a power of
/// two), on a CPU one thread that plays all lanes in turn.
///
/// Lanes pass values to each other through `shared()`, `width` scalars of scratch memory. After `for_each` returns,
/// what one lane wrote is seen by all.
template <class Scalar, class TeamMember>
class Lanes {
 public:
  KOKKOS_INLINE_FUNCTION Lanes(const TeamMember& team, int width)
      : team_(team),
        width_(width),
        shared_(static_cast<Scalar*>(team.thread_scratch(0).get_shmem(width * sizeof(Scalar)))) {}

  KOKKOS_INLINE_FUNCTION int width() const { return width_; }
  KOKKOS_INLINE_FUNCTION Scalar* shared() const { return shared_; }

  /// function(lane) for lane < count; count may be any number.
  template <class Function>
  KOKKOS_INLINE_FUNCTION void for_each(int count, const Function& function) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team_, count), function);
    // With CUDA the loop above ends in a __syncwarp of the group's threads. With HIP the wavefront runs in lock step,
    // but the compiler must be kept from moving the accesses.
#if defined(__HIP_DEVICE_COMPILE__)
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
#endif
  }

  /// shared()[r] := the sum of shared()[r + k*stride] over all k with r + k*stride < count, for r < stride.
  ///
  /// Always in the same order: a tree over k.
  KOKKOS_INLINE_FUNCTION void sum_strided(int stride, int count) const {
    int half = 1;
    while (2 * half * stride < count) half *= 2;
    Scalar* const shared = shared_;
    for (; half * stride < count && half > 0; half /= 2) {
      const int offset = half * stride;
      const int last = count;
      for_each(offset, [=](int lane) {
        if (lane + offset < last) shared[lane] += shared[lane + offset];
      });
    }
  }

 private:
  const TeamMember& team_;
  int width_;
  Scalar* shared_;
};

}  // namespace ashlar::impl
