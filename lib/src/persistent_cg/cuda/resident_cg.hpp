#pragma once

#include <ashlar/persistent_cg/one_device.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/krylov/cg_scalars.hpp>

#include "cg_iteration.hpp"
#include "rank_sync.hpp"

namespace ashlar::impl {

/// Shared memory of a thread block of resident_cg_kernel: its slice of the matrix comes last.
template <class Value, int B>
std::size_t resident_bytes(int grid, std::int64_t num_blocks) {
  return bytes_of_scalars_and_sums(grid) + std::size_t(num_blocks) * (B * B * sizeof(Value) + sizeof(std::int32_t));
}

/// Many iterations of CG with a matrix so small that it stays on the device's multiprocessors: each thread block copies
/// its block rows to shared memory, once, and each of its threads keeps a row of x, r, z, p and q in registers. Only p
/// goes through memory, for the other threads to read. Each thread sends its entry to other ranks itself, and polls for
/// the remote entries that its row needs.
///
/// For no more rows a thread block than it has threads. z by blocks of the diagonal goes through memory, too, within a
/// thread block.
template <class Sync, class Value, class Layout, int B>
__global__ void __launch_bounds__(1024, 1)
    resident_cg_kernel(const SpmvArguments<Value, Value, std::int32_t, std::int32_t> a, const CgPlace<Value> place,
                       const DiagonalInverse<Value> inverse, GridMemory* const memory, unsigned* const failed,
                       const std::uint64_t limit_ns, const __grid_constant__ typename Sync::Ranks ranks,
                       const int iterations) {
  constexpr int in_flight = B > 4 ? 1 : 8 / B;  // blocks whose p a thread loads before it uses the first
  extern __shared__ __align__(128) char shared[];
  CgScalars& s = *reinterpret_cast<CgScalars*>(shared);
  double* const scratch = reinterpret_cast<double*>(shared + bytes_of_scalars);
  Value* const values = reinterpret_cast<Value*>(shared + bytes_of_scalars_and_sums(Sync::blocks_of_sums(ranks)));
  if (threadIdx.x == 0) s = *place.scalars;
  __syncthreads();
  if (!s.is_running() || iterations <= 0) return;

  const std::int64_t first = a.num_block_rows * blockIdx.x / gridDim.x,
                     last = a.num_block_rows * (blockIdx.x + 1) / gridDim.x;
  const std::int32_t begin = a.row_begin[first], num_blocks = a.row_begin[last] - begin;
  std::int32_t* const cols = reinterpret_cast<std::int32_t*>(values + std::size_t(num_blocks) * (B * B));
  for (int k = threadIdx.x; k < num_blocks * (B * B); k += blockDim.x) {
    values[k] = a.values[std::int64_t(begin) * (B * B) + k];
  }
  for (int k = threadIdx.x; k < num_blocks; k += blockDim.x) cols[k] = a.col_idx[begin + k];

  const bool is_there = threadIdx.x < (last - first) * B;
  const std::int64_t block_row = first + threadIdx.x / B, row = first * B + threadIdx.x;
  const int row_of_block = threadIdx.x % B;
  const int row_begin = is_there ? a.row_begin[block_row] - begin : 0,
            row_end = is_there ? a.row_begin[block_row + 1] - begin : 0;
  const bool is_identity = inverse.values == nullptr;
  const bool is_diagonal = !is_identity && inverse.block_size == 1;
  const Value of_diagonal = is_diagonal && is_there ? inverse.values[row] : Value(0);
  Value x(0), r(0), z(0), p(0);
  if (is_there) {
    x = place.x[row];
    r = place.r[row];
    z = place.z[row];
    if (s.alpha != 0 || s.beta != 0) p = place.p[row];
  }
  __syncthreads();

  Sync grid(memory, limit_ns, ranks);
  [[maybe_unused]] PlaceRun sends, others;
  if constexpr (Sync::is_of_ranks) {
    if (is_there) sends = grid.sends_of(block_row);
    if (is_there && grid.has_others(block_row, block_row + 1)) others = grid.others_of(block_row);
  }
  for (int k = 0; k < iterations; ++k) {
    const Value alpha_before(s.alpha), beta(s.beta);
    x += alpha_before * p;
    p = z + beta * p;
    if (is_there) place.p[row] = p;
    if constexpr (Sync::is_of_ranks) {
      grid.barrier([&] { grid.send_entry(sends, row_of_block, p); });
    } else {
      grid.barrier();
    }

    Value q(0);
    for (int from = row_begin; from < row_end; from += in_flight) {
      Value of_p[in_flight][B];
      for (int u = 0; u < in_flight; ++u) {
        const int block = from + u < row_end ? from + u : row_end - 1;
        for (int c = 0; c < B; ++c) of_p[u][c] = place.p[std::int64_t(cols[block]) * B + c];
      }
      for (int u = 0; u < in_flight; ++u) {
        if (from + u >= row_end) break;
        const Value* const block = values + (from + u) * (B * B);
        for (int c = 0; c < B; ++c) q += block[Layout::at(row_of_block, c, B, B)] * of_p[u][c];
      }
    }
    if constexpr (Sync::is_of_ranks) q += grid.template multiply_others<B, Layout>(others, 1, row_of_block);
    double pq[1] = {double(p) * double(q)};
    grid.template sum<1>(pq, scratch);

    const double length = set_step_length(s, pq[0]);
    // (0 times a number that is not finite would be NaN.)
    if (length != 0) r -= Value(length) * q;
    if (is_identity) {
      z = r;
    } else if (is_diagonal) {
      z = of_diagonal * r;
    } else {
      if (is_there) place.r[row] = r;
      __syncthreads();
      if (is_there) z = entry_of_inverse_product<B>(inverse, block_row, row_of_block, place.r);
    }
    const double rr = double(r) * double(r), rz = double(r) * double(z);
    if (!end_iteration(grid, scratch, s, place, is_identity, pq[0], rr, rz, failed)) break;
  }
  if (is_there) {
    place.x[row] = x;
    place.r[row] = r;
    if (!is_identity) place.z[row] = z;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *place.scalars = s;
    if constexpr (Sync::is_of_ranks) grid.finish();
  }
}

}  // namespace ashlar::impl
#endif
