#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstdint>

// A rank's block rows as applications have them. A matrix whose column indices are global is the third form.

namespace ashlar {

/// Block rows with global block columns in 64 bits.
///
/// Shapes   row_ptr has an entry more than there are block rows, columns one for each block, values R * C for each, in
///          the layout of Matrix. Columns may be in any order within a row, each once.
/// Memory   views, shared as they are.
template <bcsr_matrix Matrix>
struct GlobalRows {
  using row_ptr_view = typename Matrix::graph_type::row_ptr_view;
  using column_view = Kokkos::View<const std::int64_t*, typename Matrix::memory_space>;

  BlockShape block_shape;
  row_ptr_view row_ptr;
  column_view columns;
  typename Matrix::values_view values;

  std::int64_t num_block_rows() const { return row_ptr.extent(0) == 0 ? 0 : std::int64_t(row_ptr.extent(0)) - 1; }
  std::int64_t num_blocks() const { return std::int64_t(columns.extent(0)); }
};

/// Block rows in an application's own numbering, with ghost nodes: block column j of `rows` is the global block column
/// global_column(j). Own nodes and ghost nodes may be in any order.
///
/// Shapes   global_column has an entry for each block column of `rows`. global_row has one for each block row, its
///          global number, in any order; if it is empty, rows are in the order of their global numbers.
template <bcsr_matrix Matrix>
struct RowsWithGhosts {
  using index_view = Kokkos::View<const std::int64_t*, typename Matrix::memory_space>;

  Matrix rows;
  index_view global_column;
  index_view global_row = {};
};

}  // namespace ashlar
