#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The offset of block (row, col), by bisection of the row's ascending columns; -1 where the graph has no such block.
template <class RowPtr, class ColIdx>
KOKKOS_INLINE_FUNCTION std::int64_t find_block(const RowPtr& row_ptr, const ColIdx& col_idx, std::int64_t row,
                                               std::int64_t col) {
  const std::int64_t end = row_ptr(row + 1);
  std::int64_t low = row_ptr(row), high = end;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (col_idx(middle) < col) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < end && col_idx(low) == col ? low : -1;
}

/// The block row that holds block k: the only row with row_ptr(row) <= k < row_ptr(row + 1).
template <class RowPtr>
KOKKOS_INLINE_FUNCTION std::int64_t row_of_block(const RowPtr& row_ptr, std::int64_t num_block_rows, std::int64_t k) {
  std::int64_t low = 0, high = num_block_rows;
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (row_ptr(middle) <= k) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace ashlar::impl
