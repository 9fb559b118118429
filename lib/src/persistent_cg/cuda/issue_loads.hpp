#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
namespace ashlar::impl {

/// All lanes of a warp, between loads and their uses: keeps the loads in flight together, as ptxas moves no load over a
/// barrier of the warp. Without it ptxas may put each load behind the use of the one before, if loads have conditions
/// and the 7 predicate registers are wanted elsewhere; which kernels that hits changes with any line around the loop.
/// (Measured on an H200, 16.8 million rows of 11 diagonals: 812 us an iteration with one load in flight. With 6 it
/// takes 764, or 745 where ptxas keeps them together by itself; with 11 740.)
__device__ inline void issue_loads() { __syncwarp(); }

}  // namespace ashlar::impl
#endif
