#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/spmv/impl/products/block_parts.hpp>
#include <ashlar/spmv/impl/products/flat_kernel.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// The lanes take whole blocks at a time: a lane keeps its places in the block, and so its row and column, from the
/// first block to the last.
///
/// Reads consecutively whatever the layout of the block is. Serves blocks of no more chunks than there are lanes.
/// Source: Eberhardt & Hoemmen 2016, by-block algorithm.
template <class Rows, int Chunk>
class ByBlock {
 public:
  using Ordinal = typename Rows::ordinal_type;

  /// After so many entries a lane is at the same place of a block again.
  KOKKOS_INLINE_FUNCTION static constexpr int period(int rows_of_block, int cols_of_block) {
    return rows_of_block * cols_of_block;
  }

  /// The position of a lane whose first chunk starts at `entry` (down to 1 - Chunk) of the block row that begins with
  /// block `first_block`, and that continues in steps of `step` entries.
  KOKKOS_INLINE_FUNCTION ByBlock(const Rows& rows, std::int64_t first_block, int entry, int step)
      : rows_(rows), cols_(rows.a.col_idx + first_block - Chunk), step_(step / rows.values_of_block()) {
    const int bb = rows.values_of_block();
    for (int j = 0; j < Chunk; ++j) {
      // Blocks are counted from Chunk before the first, so that no division sees a negative number.
      const int from = entry + j + Chunk * bb, block = from / bb, place = from - block * bb;
      if (j == 0) block_ = block;
      ahead_[j] = block - block_;
      column_[j] = std::is_same_v<typename Rows::layout_type, BlockColumnMajor> ? place / rows.rows_of_block()
                                                                                : place % rows.cols_of_block();
    }
  }

  /// True if entry j of a chunk multiplies another part of x than entry j - 1.
  KOKKOS_INLINE_FUNCTION bool moves_on(int j) const {
    return column_[j] != column_[j - 1] || ahead_[j] != ahead_[j - 1];
  }

  /// Which entry of x, or row of vectors, entry j of the chunk `steps` from here multiplies.
  KOKKOS_INLINE_FUNCTION std::uint32_t x(int steps, int j) const {
    const Ordinal col = cols_[block_ + ahead_[j] + steps * step_];
    return std::uint32_t(col) * std::uint32_t(rows_.cols_of_block()) + std::uint32_t(column_[j]);
  }

  KOKKOS_INLINE_FUNCTION void advance(int steps) { block_ += steps * step_; }

 private:
  const Rows& rows_;
  const Ordinal* cols_;
  int step_;
  int block_;
  int ahead_[Chunk], column_[Chunk];
};

/// Where by_block_rows serves, it is the one.
template <>
struct KernelOf<Kernel::by_block> : FlatKernel<Kernel::by_block, ByBlock> {
  static constexpr bool has_single = true;
  static constexpr bool has_multi = true;

  static int period(const BlockShape& shape) { return shape.rows * shape.cols; }
  static constexpr int usual_width(int block_size) {
    return block_size == 4 ? 8 : block_size == 3 ? 16 : block_size == 5 || block_size == 8 ? 32 : 0;
  }
  /// by_column and by_line read along columns.
  static constexpr int compiled_size(int block_size, int value_bytes, bool by_columns, bool) {
    return by_columns || block_parts(block_size, value_bytes).is_served() ? runtime_block_size : block_size;
  }
  template <class Rows>
  static constexpr bool is_served = true;

  static Kernel in_place(const SpmvShape& shape) {
    return block_parts_of(shape).is_served() ? Kernel::by_block_rows : Kernel::by_block;
  }
};

}  // namespace ashlar::impl
