#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstdint>
#include <string>

namespace ashlar {

/// The size of a matrix's dense blocks. A single number is a square block.
struct BlockShape {
  int rows = 1, cols = 1;

  constexpr BlockShape() = default;
  /// Implicit: most matrices have one unknown list a node, and so square blocks.
  constexpr BlockShape(int block_size) : rows(block_size), cols(block_size) {}
  constexpr BlockShape(int num_rows, int num_cols) : rows(num_rows), cols(num_cols) {}

  constexpr bool is_square() const { return rows == cols; }
  constexpr std::int64_t num_values() const { return std::int64_t(rows) * cols; }
  constexpr BlockShape transposed() const { return {cols, rows}; }
  friend constexpr bool operator==(const BlockShape&, const BlockShape&) = default;
};

/// "3" for a square block, "3 x 2" for another.
inline std::string to_string(const BlockShape& shape) {
  return shape.is_square() ? text(shape.rows) : text(shape.rows, " x ", shape.cols);
}

/// Throws BlockSizeError, in the name of `who`, for a block without rows or columns.
inline void check(const char* who, const BlockShape& shape) {
  if (shape.rows >= 1 && shape.cols >= 1) return;
  throw BlockSizeError(shape.rows < 1 ? shape.rows : shape.cols, text(who, ": block size ", to_string(shape)),
                       "a block has at least one row and one column", "pass the number of unknowns of a node");
}

/// The size of a square block. Throws BlockSizeError, in the name of `who`, for another.
inline int size_of_square(const char* who, const BlockShape& shape) {
  if (shape.is_square()) return shape.rows;
  throw BlockSizeError(shape.rows, text(who, ": blocks of ", to_string(shape)), "this is for square blocks",
                       "use a matrix with as many rows as columns in a block");
}

/// A block's values column after column: val[block][column][row].
///
/// The GPU kernels give consecutive rows to consecutive threads, so these loads coalesce.
struct BlockColumnMajor {
  static constexpr const char* name = "column_major";
  /// Where entry (row, column) of a block of `rows` x `cols` lies.
  KOKKOS_INLINE_FUNCTION static constexpr int at(int row, int column, int rows, int /*cols*/) {
    return row + column * rows;
  }
  KOKKOS_INLINE_FUNCTION static constexpr int at(int row, int column, int block_size) {
    return at(row, column, block_size, block_size);
  }
};

/// A block's values row after row: val[block][row][column], as Kokkos Kernels and Tpetra store them.
struct BlockRowMajor {
  static constexpr const char* name = "row_major";
  /// Where entry (row, column) of a block of `rows` x `cols` lies.
  KOKKOS_INLINE_FUNCTION static constexpr int at(int row, int column, int /*rows*/, int cols) {
    return row * cols + column;
  }
  KOKKOS_INLINE_FUNCTION static constexpr int at(int row, int column, int block_size) {
    return at(row, column, block_size, block_size);
  }
};

namespace impl {
template <class Layout>
struct TransposedLayout;
template <>
struct TransposedLayout<BlockColumnMajor> {
  using type = BlockRowMajor;
};
template <>
struct TransposedLayout<BlockRowMajor> {
  using type = BlockColumnMajor;
};
}  // namespace impl

/// The layout in which the same bytes read as the transposed block.
template <class Layout>
using transposed_layout_t = typename impl::TransposedLayout<Layout>::type;

}  // namespace ashlar
