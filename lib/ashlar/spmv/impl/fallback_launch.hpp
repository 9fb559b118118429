#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/block_shape.hpp>
#include <ashlar/spmv/impl/spmv_launch.hpp>

namespace ashlar::impl {

/// row_per_thread in the place of a kernel that cannot load what it is given: as wide as suits the blocks, of the same
/// block rows, and labelled as what it is. `warp` lanes are the widest group.
SpmvLaunch fallback_launch(const SpmvLaunch& launch, const BlockShape& block_shape, bool is_gpu, int warp);

template <execution_space Exec>
SpmvLaunch fallback_launch(const Exec&, const SpmvLaunch& launch, const BlockShape& block_shape) {
  constexpr int lanes_of_cpu = 32;
  int warp = lanes_of_cpu;
  if constexpr (is_gpu_v<Exec>) warp = Kokkos::TeamPolicy<Exec>::vector_length_max();
  return fallback_launch(launch, block_shape, is_gpu_v<Exec>, warp);
}

}  // namespace ashlar::impl
