#pragma once

#include <algorithm>
#include <ashlar/streaming/subdivision.hpp>
#include <cstdint>
#include <limits>

namespace ashlar::impl {

/// Block columns that follow each other.
struct ColumnRange {
  std::int64_t first = 0, count = 0;

  /// The block rows of these numbers, of which a symmetric matrix has the same entries of vectors.
  Subdivision as_rows() const { return {first, count, 0, 0}; }
};

/// From the first to the last block column in which some block rows of a matrix have blocks. Columns ascend in each.
///
/// Async    reads the matrix' structure on the calling thread.
template <class HostMatrix>
ColumnRange columns_of(const HostMatrix& matrix, const Subdivision& rows) {
  const auto row_ptr = matrix.graph().row_ptr();
  const auto col_idx = matrix.graph().col_idx();
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), end = 0;
  for (std::int64_t row = rows.first_row; row < rows.first_row + rows.num_rows; ++row) {
    const std::int64_t begin_of_row = row_ptr(row), end_of_row = row_ptr(row + 1);
    if (begin_of_row == end_of_row) continue;
    first = std::min<std::int64_t>(first, col_idx(begin_of_row));
    end = std::max<std::int64_t>(end, col_idx(end_of_row - 1) + 1);
  }
  return end > 0 ? ColumnRange{first, end - first} : ColumnRange{};
}

}  // namespace ashlar::impl
