#pragma once

#include <ashlar/persistent_cg/one_device.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/krylov/cg_scalars.hpp>

#include "rank_sync.hpp"

// The common part of the kernels that iterate CG by themselves.

namespace ashlar::impl {

/// Shared memory of a thread block: the scalars, with a little room for the kernel's own, then the memory for sums, and
/// then the kernel's own memory.
inline constexpr std::size_t bytes_of_scalars = 192;
static_assert(sizeof(CgScalars) <= bytes_of_scalars);
__host__ __device__ inline std::size_t bytes_of_scalars_and_sums(int blocks) {
  return bytes_of_scalars + sizeof(double) * GridMemory::most_sums * (32 + std::size_t(blocks));
}

/// Entry `row` of diagonal block `block` of z = M^-1 r.
template <int B, class Scalar>
__device__ Scalar entry_of_inverse_product(const DiagonalInverse<Scalar>& inverse, std::int64_t block, int row,
                                           const Scalar* r) {
  const Scalar* const of_block = inverse.values + block * (B * B);
  Scalar sum(0);
  for (int c = 0; c < B; ++c) sum += of_block[inverse.by_columns ? c * B + row : row * B + c] * r[block * B + c];
  return sum;
}

/// How far to go along p, for all threads: the thread block's alpha, too. (Nobody reads it before the next iteration.)
__device__ inline double set_step_length(CgScalars& s, double pq) {
  const double length = s.step_length(pq);
  if (threadIdx.x == 0) s.alpha = length;
  return length;
}

/// The end of an iteration with set_step_length(), for all threads of all thread blocks: adds up the threads' shares of
/// r^H r and r^H z, and advances the thread block's scalars. Returns whether another iteration follows.
template <class Sync, class Scalar>
__device__ bool end_iteration(Sync& grid, double* scratch, CgScalars& s, const CgPlace<Scalar>& place, bool is_identity,
                              double pq, double rr, double rz, unsigned* failed) {
  if (is_identity) {
    double sums[1] = {rr};
    grid.template sum<1>(sums, scratch);
    rr = rz = sums[0];
  } else {
    double sums[2] = {rr, rz};
    grid.template sum<2>(sums, scratch);
    rr = sums[0];
    rz = sums[1];
  }
  if (threadIdx.x == 0) {
    s.advance_by_alpha(pq, rr, rz, blockIdx.x == 0 ? place.history : nullptr, place.history_capacity);
  }
  const bool has_failed = __syncthreads_or(grid.has_failed()) != 0;
  if (has_failed) *failed = 1;
  return !has_failed && s.is_running();
}

}  // namespace ashlar::impl
#endif
