#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/graph.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ashlar {

/// Where each block row has its diagonal block: the block's offset, or -1 for a row that has none; signed, where
/// offsets are not.
///
/// Shapes   num_block_rows entries; rows beyond the last block column of a rectangular graph have no diagonal.
/// Memory   allocates the result in the graph's memory space, which `exec` reaches.
/// Async    enqueued on `exec`.
template <execution_space Exec, class Ordinal, class Offset, class Space>
Kokkos::View<std::make_signed_t<Offset>*, Space> diagonal_block_index(const Exec& exec,
                                                                      const BcsrGraph<Ordinal, Offset, Space>& graph) {
  using Index = std::make_signed_t<Offset>;
  static_assert(Kokkos::SpaceAccessibility<Exec, Space>::accessible,
                "diagonal_block_index: the execution space must reach the graph");
  Kokkos::View<Index*, Space> index(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::diagonal_block_index"),
                                    std::size_t(graph.num_block_rows()));
  const auto row_ptr = graph.row_ptr();
  const auto col_idx = graph.col_idx();
  Kokkos::parallel_for(
      "ashlar::diagonal_block_index",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, graph.num_block_rows()),
      KOKKOS_LAMBDA(std::int64_t i) { index(i) = static_cast<Index>(impl::find_block(row_ptr, col_idx, i, i)); });
  return index;
}

/// diagonal_block_index of the matrix' graph.
template <execution_space Exec, bcsr_matrix Matrix>
auto diagonal_block_index(const Exec& exec, const Matrix& matrix) {
  return diagonal_block_index(exec, matrix.graph());
}

namespace impl {

/// The column of a square matrix' diagonal block in block row i.
struct SameColumn {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return i; }
};

/// Counts, and fills in, the diagonal block of a block row: the one in column own_column(i).
template <class Matrix, class OwnColumn>
struct DiagonalBlock {
  typename Matrix::graph_type::row_ptr_view row_ptr;
  typename Matrix::graph_type::col_idx_view col_idx;
  typename Matrix::values_view values;
  OwnColumn own_column;

  KOKKOS_INLINE_FUNCTION std::int64_t find(std::int64_t i) const {
    return find_block(row_ptr, col_idx, i, own_column(i));
  }
  KOKKOS_FUNCTION int operator()(std::int64_t i) const { return find(i) >= 0; }

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Row& row) const {
    if (row.num_blocks() == 0) return;
    const std::int64_t block = find(i);
    const int R = row.rows_of_block(), C = row.cols_of_block();
    row.column(0) = static_cast<typename Matrix::ordinal_type>(i);
    for (int c = 0; c < C; ++c) {
      for (int r = 0; r < R; ++r) {
        row.value(0, r, c) = values(block * R * C + Matrix::layout_type::at(r, c, R, C));
      }
    }
  }
};

template <class Exec, class Matrix, class OwnColumn>
Matrix diagonal_blocks_at(const Exec& exec, const Matrix& matrix, typename Matrix::ordinal_type num_block_cols,
                          const OwnColumn& own_column) {
  const DiagonalBlock<Matrix, OwnColumn> diagonal{matrix.graph().row_ptr(), matrix.graph().col_idx(), matrix.values(),
                                                  own_column};
  Matrix result =
      build_by_rows<Matrix>(exec, matrix.block_shape(), matrix.num_block_rows(), num_block_cols, diagonal, diagonal);
  // In columns that do not ascend, bisection misses blocks that are there.
  if (std::int64_t(result.num_blocks()) < std::int64_t(matrix.num_block_rows())) validate(exec, matrix.graph());
  return result;
}

}  // namespace impl

/// The matrix of the diagonal blocks alone; a block row that has none is empty.
///
/// Memory   allocates the result where the matrix is, which `exec` reaches.
/// Async    waits for `exec` once, or if a row has no diagonal block, a few times; the fill is enqueued.
/// Throws   StructureError if a row has no diagonal block and the graph is not valid (columns that do not ascend).
template <execution_space Exec, bcsr_matrix Matrix>
Matrix diagonal_blocks(const Exec& exec, const Matrix& matrix) {
  return impl::diagonal_blocks_at(exec, matrix, matrix.num_block_cols(), impl::SameColumn{});
}

/// The same for rows whose columns have numbers of their own, such as a rank's rows with ghost columns: a square matrix
/// of the blocks (i, own_column(i)), as Jacobi and block-Jacobi preconditioners take it.
///
/// Shapes   own_column has an entry for each block row: the block column with the same global index as the row, or -1.
/// Throws   ShapeError if own_column has another length; StructureError as above.
template <execution_space Exec, bcsr_matrix Matrix, class Index, class... Properties>
requires reachable_from<Exec, Kokkos::View<Index*, Properties...>> Matrix
diagonal_blocks(const Exec& exec, const Matrix& rows, const Kokkos::View<Index*, Properties...>& own_column) {
  if (std::int64_t(own_column.extent(0)) != std::int64_t(rows.num_block_rows())) {
    throw ShapeError(text("diagonal_blocks: own columns of ", own_column.extent(0), " rows"),
                     text("the matrix has ", rows.num_block_rows(), " block rows"),
                     "name the own column of each block row");
  }
  return impl::diagonal_blocks_at(exec, rows, rows.num_block_rows(), own_column);
}

}  // namespace ashlar
