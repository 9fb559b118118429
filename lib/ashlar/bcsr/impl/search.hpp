#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/first_not_less.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The offset of block (row, col), by bisection of the row's ascending columns; -1 where the graph has no such block.
template <class RowPtr, class ColIdx>
KOKKOS_INLINE_FUNCTION std::int64_t find_block(const RowPtr& row_ptr, const ColIdx& col_idx, std::int64_t row,
                                               std::int64_t col) {
  const std::int64_t end = row_ptr(row + 1);
  const std::int64_t k = first_not_less(col_idx, row_ptr(row), end, col);
  return k < end && col_idx(k) == col ? k : -1;
}

/// The block row that holds block k: the only row with row_ptr(row) <= k < row_ptr(row + 1).
template <class RowPtr>
KOKKOS_INLINE_FUNCTION std::int64_t row_of_block(const RowPtr& row_ptr, std::int64_t num_block_rows, std::int64_t k) {
  return first_not_less(row_ptr, 1, num_block_rows, k + 1) - 1;
}

}  // namespace ashlar::impl
