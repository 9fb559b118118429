#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/block.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ashlar {

/// Where the ranges of block rows that the threads of a host take begin, and one beyond the last.
using RowRanges = Kokkos::View<std::int64_t*, Kokkos::HostSpace>;

/// Cuts block rows into `num_ranges` ranges of about the same work. The work of a block row of n blocks is n*C + 1, for
/// C columns of a block: the entries of a row and its overhead. A cut lies at the row nearest to its ideal place, so
/// that a range is off by half a block row at each end. The same row pointers give the same cuts.
///
/// Block rows of more than `longest_row` blocks count as empty: others process them. The first row pointer need not be
/// 0, as in a slice of a matrix's rows.
///
/// Memory   num_ranges + 1 numbers on the host, where row_ptr lies too.
/// Async    reads row_ptr on the calling thread: wait for what writes it before.
template <execution_space Exec, class RowPtr>
RowRanges row_ranges(const Exec& exec, const RowPtr& row_ptr, const BlockShape& block_shape, int num_ranges,
                     std::int64_t longest_row = std::numeric_limits<std::int64_t>::max()) {
  const RowRanges first_row(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::row_ranges"),
                            std::size_t(num_ranges) + 1);
  const std::int64_t num_rows = row_ptr.extent(0) > 0 ? std::int64_t(row_ptr.extent(0)) - 1 : 0;
  // The long block rows, and the blocks of all of them up to each.
  std::vector<std::int64_t> long_row, blocks_up_to;
  if (longest_row < std::numeric_limits<std::int64_t>::max()) {
    std::int64_t blocks = 0;
    for (std::int64_t row = 0; row < num_rows; ++row) {
      const std::int64_t length = row_ptr(row + 1) - row_ptr(row);
      if (length <= longest_row) continue;
      long_row.push_back(row);
      blocks_up_to.push_back(blocks += length);
    }
  }
  const auto work_before = [&](std::int64_t row) {
    if (num_rows == 0) return std::int64_t(0);
    const auto long_rows_before = std::lower_bound(long_row.begin(), long_row.end(), row) - long_row.begin();
    const std::int64_t left_out = long_rows_before > 0 ? blocks_up_to[long_rows_before - 1] : 0;
    return (std::int64_t(row_ptr(row) - row_ptr(0)) - left_out) * block_shape.cols + row;
  };
  const std::int64_t all = work_before(num_rows);
  first_row(0) = 0;
  for (int range = 1; range < num_ranges; ++range) {
    // all * range could be beyond 64 bits.
    const std::int64_t wanted = all / num_ranges * range + all % num_ranges * range / num_ranges;
    // The first row, from the last cut on, with that much work before it.
    std::int64_t low = first_row(range - 1), high = num_rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (work_before(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const bool nearer = low > first_row(range - 1) && wanted - work_before(low - 1) < work_before(low) - wanted;
    first_row(range) = nearer ? low - 1 : low;
  }
  first_row(num_ranges) = num_rows;
  return first_row;
}

}  // namespace ashlar
