#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace ashlar {

/// The most blocks that offsets of a type count, unsigned ones included: other libraries have these.
template <class Offset>
inline constexpr std::int64_t most_blocks = std::in_range<std::int64_t>(std::numeric_limits<Offset>::max())
                                                ? static_cast<std::int64_t>(std::numeric_limits<Offset>::max())
                                                : std::numeric_limits<std::int64_t>::max();

/// Which blocks a BCSR matrix stores: the structure without values or block size.
///
/// Shapes   row_ptr has num_block_rows + 1 entries, from 0 to num_blocks; col_idx has num_blocks, of which
///          row_ptr(i) .. row_ptr(i+1)-1 are block row i's, ascending and without repeats (`validate()` checks).
/// Memory   both in MemorySpace, shared as views are: copying a graph copies no data.
/// Types    Ordinal holds block columns, Offset counts blocks. Offsets into values are always computed in 64 bits.
template <class Ordinal = std::int32_t, class Offset = std::int32_t,
          memory_space MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
class BcsrGraph {
 public:
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using memory_space = MemorySpace;
  using row_ptr_view = Kokkos::View<const Offset*, MemorySpace>;
  using col_idx_view = Kokkos::View<const Ordinal*, MemorySpace>;

  BcsrGraph() = default;

  /// Takes the views as they are. Throws ShapeError where their extents cannot be a graph's.
  BcsrGraph(Ordinal num_block_cols, row_ptr_view row_ptr, col_idx_view col_idx)
      : num_block_cols_(num_block_cols), row_ptr_(std::move(row_ptr)), col_idx_(std::move(col_idx)) {
    if (num_block_cols < 0) {
      throw ShapeError(text("BcsrGraph: ", num_block_cols, " block columns"), "a number of columns is not negative",
                       "check for an overflow of the ordinal type");
    }
    if (row_ptr_.extent(0) > std::size_t(std::numeric_limits<Ordinal>::max()) + 1 ||
        col_idx_.extent(0) > std::size_t(most_blocks<Offset>)) {
      throw ShapeError(
          text("BcsrGraph: ", row_ptr_.extent(0), " row pointers and ", col_idx_.extent(0), " blocks"),
          text("the index types count to ", std::numeric_limits<Ordinal>::max(), " and ", most_blocks<Offset>),
          "use wider index types");
    }
    if (row_ptr_.extent(0) == 0 && col_idx_.extent(0) != 0) {
      throw ShapeError(text("BcsrGraph: empty row pointers with ", col_idx_.extent(0), " block columns"),
                       "row pointers have one entry more than there are block rows", "pass {0, ..., number of blocks}");
    }
  }

  Ordinal num_block_rows() const {
    return row_ptr_.extent(0) == 0 ? Ordinal(0) : static_cast<Ordinal>(row_ptr_.extent(0) - 1);
  }
  Ordinal num_block_cols() const { return num_block_cols_; }
  Offset num_blocks() const { return static_cast<Offset>(col_idx_.extent(0)); }

  const row_ptr_view& row_ptr() const { return row_ptr_; }
  const col_idx_view& col_idx() const { return col_idx_; }

 private:
  Ordinal num_block_cols_ = 0;
  row_ptr_view row_ptr_;
  col_idx_view col_idx_;
};

}  // namespace ashlar

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
