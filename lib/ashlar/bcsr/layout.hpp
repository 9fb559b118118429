#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace ashlar {

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
