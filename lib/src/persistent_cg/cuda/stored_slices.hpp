#pragma once

#include <ashlar/persistent_cg/one_device.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include "async_copies.hpp"
#include "diagonal_slices.hpp"

namespace ashlar::impl {

/// Slices of a matrix as it is stored: of a few block rows. Each has H times B lanes, B for a block at a time. For
/// matrices whose arrays begin at multiples of 16 bytes.
///
/// A lane loads x of `in_flight` blocks before it uses the first.
template <class V, class S, class L, int B, int H, int in_flight>
struct StoredSlices {
  using Value = V;
  using Scalar = S;  ///< of vectors
  using Layout = L;
  static constexpr int block_size = B, lanes_of_row = H;
  static constexpr int lanes = 32 / H;             ///< of a slice's rows
  static constexpr int rows_of_slice = lanes / B;  ///< block rows
  static_assert(rows_of_slice > 0);
  /// (Measured on two H200: with blocks of 3 and 4, 15 warps are 2 to 4 % faster than 14, and with 1 neither more warps
  /// nor fewer are.)
  static constexpr int most_threads = B == 1 ? 768 : 480;
  /// Slices of a warp in shared memory: more leave too little of it to the first cache, which x needs. (Measured on an
  /// H100: on 128^3 points of the 11-point stencil 24 warps with 1 slice took 169 us an iteration, with 2 174 us, with
  /// 4 219 us, and 16 warps 177 us or more.)
  static constexpr int most_stages = H == 1 ? 1 : 2;

  SpmvArguments<Value, Scalar, std::int32_t, std::int32_t> a;

  /// The blocks of a slice.
  __device__ SliceExtent extent_of(int slice) const {
    const std::int64_t first = std::int64_t(slice) * rows_of_slice;
    return {a.row_begin[first], a.row_begin[last_row(first)]};
  }

  /// One lane: has it copied.
  __device__ void copy(int slice, const SliceExtent& blocks, char* to, const SliceRoom& room,
                       ArrivalBarrier& barrier) const {
    const std::int64_t first = std::int64_t(slice) * rows_of_slice, last = last_row(first);
    constexpr int values_of_block = B * B;
    const Run values = run_of<Value>(std::int64_t(blocks.begin) * values_of_block,
                                     std::int64_t(blocks.end) * values_of_block, a.num_blocks * values_of_block);
    const Run cols = run_of<std::int32_t>(blocks.begin, blocks.end, a.num_blocks);
    const Run rows = run_of<std::int32_t>(first, last + 1, a.num_block_rows + 1);
    // Data that is no whole granule is written immediately, and visible at the end of the phase.
    copy_rest(to, a.values, values);
    copy_rest(to + room.value_bytes, a.col_idx, cols);
    copy_rest(to + room.value_bytes + room.column_bytes, a.row_begin, rows);
    const unsigned value_bytes = values.count * sizeof(Value), col_bytes = cols.count * 4, row_bytes = rows.count * 4;
    barrier.arrive_and_expect(value_bytes + col_bytes + row_bytes);
    const std::uint64_t policy = a.hint.policy();
    if (value_bytes > 0) barrier.copy(to, a.values + values.begin, value_bytes, policy);
    if (col_bytes > 0) barrier.copy(to + room.value_bytes, a.col_idx + cols.begin, col_bytes, policy);
    if (row_bytes > 0) {
      barrier.copy(to + room.value_bytes + room.column_bytes, a.row_begin + rows.begin, row_bytes, policy);
    }
  }

  /// The row of a slice of which multiply() gives a lane its share; behind the last for lanes that have none.
  static __device__ int row_of(int lane) {
    const int place = lane % lanes, row_of_slice = place / B, column = place % B;
    // Blocks of even size lie at the same banks of shared memory: the lanes of each block row begin elsewhere.
    return row_of_slice * B + in_circle(column + (B % 2 == 0 ? row_of_slice % B : 0));
  }

  /// A lane's share of its row of the slice, which has arrived at `at`, times x. A lane takes a column of every block
  /// of its block row, so that it loads one entry of x, and at the end passes the others their rows' sums. It begins
  /// with its own row and goes round, so that no two lanes of a block row read the same row.
  __device__ Scalar multiply(int slice, const char* at, const SliceRoom& room, int lane) const {
    const int half = lane / lanes, place = lane % lanes, row_of_slice = place / B, column = place % B;
    const int own_row = row_of(lane) % B;
    const std::int64_t first_row = std::int64_t(slice) * rows_of_slice;
    const auto* const rows =
        reinterpret_cast<const std::int32_t*>(at + room.value_bytes + room.column_bytes) + first_row % granule_rows;
    const std::int32_t begin_of_slice = rows[0];
    const auto* const values = reinterpret_cast<const Value*>(at) + unsigned(begin_of_slice) * (B * B) % granule_values;
    const auto* const cols =
        reinterpret_cast<const std::int32_t*>(at + room.value_bytes) + unsigned(begin_of_slice) % granule_rows;
    const bool is_there = row_of_slice < rows_of_slice && first_row + row_of_slice < a.num_block_rows;
    const int begin = is_there ? rows[row_of_slice] - begin_of_slice : 0,
              end = is_there ? rows[row_of_slice + 1] - begin_of_slice : 0;
    Scalar sums[B] = {};  // of the rows from own_row, in a circle
    // All lanes take as many rounds as the longest row needs, as they share barriers. A lane without more blocks loads
    // its last block's x again, or the x of the slice's first block: a condition for each load would take a register.
    for (int j = begin + half; __any_sync(0xffffffffu, j < end); j += H * in_flight) {
      Scalar x[in_flight];
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        x[u] = a.x[std::int64_t(cols[max(min(j + u * H, end - 1), 0)]) * B + column];
      }
      issue_loads();
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        const Value* const block = values + (j + u * H) * (B * B);
#pragma unroll
        for (int k = 0; k < B; ++k) {
          sums[k] +=
              Scalar(j + u * H < end ? block[Layout::at(in_circle(own_row + k), column, B, B)] : Value(0)) * x[u];
        }
      }
    }
    Scalar sum = sums[0];
#pragma unroll
    for (int k = 1; k < B; ++k) {
      sum += __shfl_sync(0xffffffffu, sums[B - k], lane - column + in_circle(column + k));
    }
    return sum;
  }

 private:
  /// A place below 2 B, as one below B.
  static __device__ int in_circle(int place) { return place < B ? place : place - B; }

  static constexpr int granule_values = SliceRoom::granule / int(sizeof(Value)), granule_rows = SliceRoom::granule / 4;

  __device__ std::int64_t last_row(std::int64_t first) const {
    return first + rows_of_slice < a.num_block_rows ? first + rows_of_slice : a.num_block_rows;
  }

  /// Which entries of an array come, so that they are whole granules: from the first that is wanted, or a few before
  /// it, to the last, or a few behind it, as far as there are any.
  struct Run {
    std::int64_t begin;  // an entry that a granule begins with
    int count;           // entries of whole granules
    int rest;            // wanted, behind the array's last whole granule
  };
  template <class Entry>
  static __device__ Run run_of(std::int64_t first, std::int64_t last, std::int64_t all) {
    constexpr int entries = SliceRoom::granule / sizeof(Entry);
    const std::int64_t begin = first & ~std::int64_t(entries - 1);
    const int wanted = (static_cast<int>(last - begin) + entries - 1) & ~(entries - 1);
    if (begin + wanted <= all) return {begin, wanted, 0};
    const int whole = static_cast<int>(all - begin) & ~(entries - 1);
    return {begin, whole, static_cast<int>(last - begin) - whole};
  }

  template <class Entry>
  __device__ static void copy_rest(char* to, const Entry* from, const Run& run) {
    for (int k = run.count; k < run.count + run.rest; ++k) reinterpret_cast<Entry*>(to)[k] = from[run.begin + k];
  }
};

}  // namespace ashlar::impl
#endif
