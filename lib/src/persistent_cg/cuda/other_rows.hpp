#pragma once

#include <ashlar/persistent_cg/one_device.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/base/scalar.hpp>
#include <ashlar/persistent_cg/impl/assigned_rows.hpp>
#include <cstdint>

#include "rank_sync.hpp"

namespace ashlar::impl {

/// How the block rows with remote blocks are assigned to the warps of `sync`'s grid. Any thread block may have their
/// local columns: with several ranks, all rows of a thread block may have remote blocks. There is at least one such
/// row.
template <int B, class Sync>
__device__ AssignedRows assign_other_rows(const Sync& sync) {
  const typename Sync::Ranks::OtherRow longest = sync.other_row(0);
  return AssignedRows::of(sync.num_other_rows(), longest.end - longest.begin, B,
                          static_cast<int>(gridDim.x * blockDim.x / 32));
}

/// All threads: adds to y what these rows have in others' columns, as it comes. The warp that has a row's own columns
/// adds to the same entries; they were 0 before, so that the order of the two changes no bit. (Of floats atomics may
/// take subnormal numbers for 0.) Returns the thread's share of x^H times what was added.
///
/// The last warps of thread blocks have the first rows: they have the fewest slices to multiply.
template <int B, class Layout, class Value, class Sync>
__device__ double add_other_rows(Sync& sync, const AssignedRows& rows, const Value* x, Value* y) {
  const int blocks = static_cast<int>(gridDim.x), warps = static_cast<int>(blockDim.x / 32),
            warps_behind = warps - 1 - static_cast<int>(threadIdx.x / 32), at_a_time = rows.rows_of_warp(B);
  double dot = 0;
  for (int first = (warps_behind * blocks + static_cast<int>(blockIdx.x)) * at_a_time; first < rows.count;
       first += blocks * warps * at_a_time) {
    const AssignedRows::Part part = rows.part(first, threadIdx.x % 32, B);
    typename Sync::Ranks::OtherRow of_others;
    if (part.number >= 0) of_others = sync.other_row(part.number);
    const PlaceRun blocks_of_lane{of_others.begin + part.share, of_others.end};
    Value sum = sync.template multiply_others<B, Layout>(blocks_of_lane, rows.lanes(), part.row);
    for (int offset = 32 >> rows.log2_lanes; offset < 32; offset *= 2) sum += __shfl_xor_sync(~0u, sum, offset);
    if (part.number < 0 || part.share != 0) continue;
    const std::int64_t i = std::int64_t(of_others.row) * B + part.row;
    atomicAdd(y + i, sum);
    dot += real_product(x[i], sum);
  }
  return dot;
}

}  // namespace ashlar::impl
#endif
