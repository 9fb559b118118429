#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/spmv/impl/products/flat_kernel.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ashlar::impl {

/// The lanes take whole columns at a time, of whatever blocks they are: a lane keeps its rows of the block, and its
/// column runs through the block row's. For blocks that are stored by columns.
///
/// Source: Eberhardt & Hoemmen 2016, by-column algorithm.
template <class Rows, int Chunk>
class ByColumn {
 public:
  using Ordinal = typename Rows::ordinal_type;

  /// After so many entries a lane is at the same row again.
  KOKKOS_INLINE_FUNCTION static constexpr int period(int rows_of_block, int) { return rows_of_block; }

  /// As of ByBlock.
  KOKKOS_INLINE_FUNCTION ByColumn(const Rows& rows, std::int64_t first_block, int entry, int step)
      : rows_(rows), cols_(rows.a.col_idx + first_block - Chunk), step_(step / rows.rows_of_block()) {
    const int b = rows.rows_of_block();
    for (int j = 0; j < Chunk; ++j) {
      // Columns are counted from Chunk blocks before the first, so that no division sees a negative number.
      const int column = (entry + j + Chunk * rows.values_of_block()) / b;
      if (j == 0) column_ = column;
      ahead_[j] = column - column_;
    }
  }

  KOKKOS_INLINE_FUNCTION bool moves_on(int j) const { return ahead_[j] != ahead_[j - 1]; }

  /// Which entry of x, or row of vectors, entry j of the chunk `steps` from here multiplies.
  KOKKOS_INLINE_FUNCTION std::uint32_t x(int steps, int j) const {
    const int b = rows_.cols_of_block();
    const int column = column_ + ahead_[j] + steps * step_, block = rows_.block_of_column(column);
    return std::uint32_t(cols_[block]) * std::uint32_t(b) + std::uint32_t(column - block * b);
  }

  KOKKOS_INLINE_FUNCTION void advance(int steps) { column_ += steps * step_; }

 private:
  const Rows& rows_;
  const Ordinal* cols_;
  int step_;
  int column_;
  int ahead_[Chunk];
};

template <>
struct KernelOf<Kernel::by_column> : FlatKernel<Kernel::by_column, ByColumn> {
  static constexpr bool has_single = true;
  static constexpr bool has_multi = true;

  static int period(const BlockShape& shape) { return shape.rows; }
  static constexpr int usual_width(int block_size) {
    const bool pays = block_size >= 3 && block_size <= 11 && block_size % 2 == 1;
    return !pays ? 0 : block_size == 3 ? 8 : block_size < 9 ? 16 : 32;
  }
  /// by_line serves odd columns, except columns of complex<double>.
  static constexpr int compiled_size(int block_size, int value_bytes, bool, bool) {
    return block_size % 2 == 1 && value_bytes <= 8 ? runtime_block_size : block_size;
  }
  template <class Rows>
  static constexpr bool is_served = std::is_same_v<typename Rows::layout_type, BlockColumnMajor>;

  static bool serves(const SpmvShape& shape, int width) { return shape.by_columns && FlatKernel::serves(shape, width); }
  static std::string why_not(const SpmvShape& shape, int width) {
    if (!shape.by_columns) return "it reads along the columns, and these blocks are by rows";
    return FlatKernel::why_not(shape, width);
  }
};

}  // namespace ashlar::impl
