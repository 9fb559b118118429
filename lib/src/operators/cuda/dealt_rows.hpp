#pragma once

#include <ashlar/operators/persistent_cg.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/base/real_product.hpp>
#include <cstdint>

#include "rank_sync.hpp"

namespace ashlar::impl {

/// The block rows with blocks in others' columns, dealt to all warps of a grid, whichever thread block has their own
/// columns: where ranks meet all rows of a thread block may have some. A warp takes a few rows at a time, with as many
/// lanes for each entry of them as give each warp of the grid something. Rows that take equally long lie beside each
/// other, as those with most blocks come first.
struct DealtRows {
  int count = 0;
  int log2_lanes_of_row = 0;

  /// Of the grid that `sync` is of, for blocks of B x B.
  template <int B, class Sync>
  __device__ static DealtRows of(const Sync& sync) {
    DealtRows rows{sync.num_other_rows()};
    if (rows.count == 0) return rows;
    const typename Sync::Ranks::OtherRow longest = sync.other_row(0);
    const int warps = static_cast<int>(gridDim.x * blockDim.x / 32);
    const auto fits = [&](int log2_lanes) {
      return (1 << log2_lanes) <= longest.end - longest.begin && rows.count <= (32 >> log2_lanes) / B * warps;
    };
    while (rows.log2_lanes_of_row < 3 && fits(rows.log2_lanes_of_row + 1)) ++rows.log2_lanes_of_row;
    return rows;
  }

  /// All threads: adds to y, which each of these rows is added to once more, what they have in others' columns, as it
  /// comes (in any order: both give the same bits where y was 0 before). Returns the thread's share of x^H times that.
  /// The last warps of thread blocks have the first rows: they have the fewest slices to multiply.
  template <int B, class Layout, class Value, class Sync>
  __device__ double multiply_add(Sync& sync, const Value* x, Value* y) const {
    const int lanes = 32 >> log2_lanes_of_row, rows_at_a_time = lanes / B;
    const int lane = threadIdx.x % 32, group = lane / lanes, place = lane % lanes, row = place % B;
    const int warps_behind = static_cast<int>((blockDim.x - 1 - threadIdx.x) / 32),
              blocks = static_cast<int>(gridDim.x);
    const int step = blocks * static_cast<int>(blockDim.x / 32) * rows_at_a_time;
    double dot = 0;
    for (int first = (warps_behind * blocks + static_cast<int>(blockIdx.x)) * rows_at_a_time; first < count;
         first += step) {
      const int number = first + place / B;
      const bool is_there = place / B < rows_at_a_time && number < count;
      typename Sync::Ranks::OtherRow of_row;
      if (is_there) of_row = sync.other_row(number);
      const PlaceRun blocks_of_lane{of_row.begin + group, of_row.end};
      Value sum = sync.template multiply_others<B, Layout>(blocks_of_lane, 1 << log2_lanes_of_row, row);
      for (int offset = lanes; offset < 32; offset *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
      if (!is_there || group != 0) continue;
      const std::int64_t i = std::int64_t(of_row.row) * B + row;
      atomicAdd(y + i, sum);
      dot += real_product(x[i], sum);
    }
    return dot;
  }
};

}  // namespace ashlar::impl
#endif
